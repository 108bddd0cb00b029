import type { ColumnDefinition } from '../../definition.ts'
import { ageOf } from '../human-duration.ts'
import { age, column, orNone, wideColumn } from './column.ts'
import { summarizePod, type ShownPod } from './pod-summary.ts'

export const podColumns: readonly ColumnDefinition[] = [
  column<ShownPod>('Ready', 'How many of its containers are ready.', (pod) => {
    const { readyContainers, containers } = summarizePod(pod)
    return `${readyContainers}/${containers}`
  }),
  column<ShownPod>('Status', 'What the pod, or the container in the way, is doing.', (pod) => summarizePod(pod).reason),
  column<ShownPod>('Restarts', 'How often its containers were started again, and when last.', (pod, nowMs) => {
    const { restarts, lastRestart } = summarizePod(pod)
    return restarts === 0 || lastRestart === undefined
      ? String(restarts)
      : `${restarts} (${ageOf(lastRestart, nowMs)} ago)`
  }),
  age,
  wideColumn<ShownPod>('IP', 'Its address.', ({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP)),
  wideColumn<ShownPod>('Node', 'Where it runs, or will.', ({ spec }) => orNone(spec?.nodeName)),
  wideColumn<ShownPod>('Nominated Node', 'Where others make room for it.', ({ status }) =>
    orNone(status?.nominatedNodeName),
  ),
  wideColumn<ShownPod>('Readiness Gates', 'How many of its extra conditions hold.', ({ spec, status }) => {
    const gates = spec?.readinessGates ?? []
    const isTrue = (wanted: string) =>
      status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false
    const passed = gates.filter(({ conditionType }) => isTrue(conditionType)).length
    return gates.length === 0 ? '<none>' : `${passed}/${gates.length}`
  }),
]
