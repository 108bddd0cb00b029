import { parseMilli } from '../../api/kubernetes/quantity.ts'
import type { QosClass } from '../view.ts'
import type { SourcePod } from './objects.ts'

const classes: readonly string[] = ['BestEffort', 'Burstable', 'Guaranteed'] satisfies QosClass[]
const counted = ['cpu', 'memory'] as const

/** As the status says, or else by cpu and memory of the containers, as the API server computes it. */
export function qosClassOf({ spec, status }: SourcePod): QosClass {
  if (status?.qosClass !== undefined && classes.includes(status.qosClass)) return status.qosClass as QosClass
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  const amounts = containers.map(({ resources }) =>
    counted.map((resource) => ({
      request: parseMilli(resources?.requests?.[resource]),
      limit: parseMilli(resources?.limits?.[resource]),
    })),
  )
  const all = amounts.flat()
  if (all.every(({ request, limit }) => request === 0 && limit === 0)) return 'BestEffort'
  return all.every(({ request, limit }) => limit > 0 && (request === 0 || request === limit))
    ? 'Guaranteed'
    : 'Burstable'
}
