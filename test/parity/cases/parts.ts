import type { CaseNode, CasePod } from '../case.ts'

export const twoNodes: readonly CaseNode[] = [{ name: 'n1' }, { name: 'n2' }]

/** Pods that differ in their names alone: `web-1`, `web-2` and so on. */
export function podsOf(count: number, { name, ...rest }: CasePod): readonly CasePod[] {
  return Array.from({ length: count }, (_, index) => Object.assign({ name: `${name}-${index + 1}` }, rest))
}

export const zone = 'topology.kubernetes.io/zone'
export const hostname = 'kubernetes.io/hostname'

export const inZone = (name: string, value: string): CaseNode => ({ name, labels: { [zone]: value } })

export const noSchedule = (key: string, value = '') => ({ key, value, effect: 'NoSchedule' as const })

/** One container of the status. */
export const waitingFor = (reason: string) => ({ name: 'c0', state: { waiting: { reason } } })
export const endedWith = (reason: string, exitCode: number) => ({
  name: 'c0',
  state: { terminated: { reason, exitCode } },
})
export const restarted = (restartCount: number) => ({ name: 'c0', restartCount, state: { running: {} } })

export const deschedulerAnnotation = (name: string) => ({ [`descheduler.alpha.kubernetes.io/${name}`]: 'true' })

/** Only on nodes with this label. */
export function requiresNodes(key: string, ...values: readonly string[]) {
  return {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }],
        },
      },
    },
  }
}

/** Not where pods with this label are. */
export function avoids(app: string, topologyKey: string = hostname, more: object = {}) {
  return {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app } }, topologyKey, ...more },
        ],
      },
    },
  }
}
