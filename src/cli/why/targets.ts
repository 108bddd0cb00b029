import type { DrainTarget } from '../../api/maintenance/drain-targets.ts'
import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { PodType } from '../../api/maintenance/pod-type.ts'
import { int32 } from '../../api/schema/schema.ts'

const nouns: Readonly<Record<PodType, string>> = { Default: 'pods', DaemonSet: 'DaemonSet pods', Static: 'static pods' }

/** `pods up to priority 1000000000`, `all DaemonSet pods`, `all pods with app=web`. */
export function renderTarget({ podType, podPriority, podSelector }: DrainTarget): string {
  const labels = podSelector === undefined ? '' : ` with ${renderSelector(podSelector)}`
  if (podPriority === int32.maximum) return `all ${nouns[podType]}${labels}`
  return `${nouns[podType]}${labels} up to priority ${podPriority}`
}

/** As kubectl writes selectors. */
function renderSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`)
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`
  })
  return [...equal, ...others].join(',')
}
