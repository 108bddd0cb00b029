import type { DefaultEvictorArgs, EnabledPlugin, Policy, Profile } from '../../src/descheduler/policy/policy.ts'

export const defaultEvictorArgs: DefaultEvictorArgs = {
  protections: new Set(['PodsWithLocalStorage', 'DaemonSetPods', 'SystemCriticalPods', 'FailedBarePods']),
  protectedStorageClasses: undefined,
  nodeSelector: undefined,
  labelSelector: undefined,
  namespaceLabelSelector: undefined,
  priorityThreshold: undefined,
  nodeFit: false,
  minReplicas: 0,
  minPodAgeMs: undefined,
  noEvictionPolicy: 'Preferred',
}

export function profileOf(name: string, plugins: Partial<Pick<Profile, 'deschedule' | 'balance'>>): Profile {
  return { name, defaultEvictor: defaultEvictorArgs, deschedule: [], balance: [], ...plugins }
}

export function policyOf(choices: Partial<Policy> & Pick<Policy, 'profiles'>): Policy {
  return {
    nodeSelector: undefined,
    limits: { perNode: undefined, perNamespace: undefined, total: undefined },
    evictionFailureEventNotification: false,
    gracePeriodSeconds: undefined,
    metricsProviders: { kubernetesMetrics: false, prometheus: undefined },
    evictionMessagePrefixes: ['Eviction triggered'],
    lifeboat: {
      maxPercentPerOwner: undefined,
      returnBackoffMs: undefined,
      nodeFitAsScheduler: false,
      window: undefined,
    },
    ...choices,
  }
}

/** A plugin as a policy enables it, where its args do not matter. */
export const enabled = (name: EnabledPlugin['name'], args: object = {}): EnabledPlugin =>
  ({ name, args }) as EnabledPlugin
