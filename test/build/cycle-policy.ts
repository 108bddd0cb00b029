import type { EnabledPlugin, Policy, Profile } from '../../src/descheduler/policy/policy.ts'
import { evictorArgs } from './descheduler-evictor.ts'

export const defaultEvictorArgs = evictorArgs()

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
