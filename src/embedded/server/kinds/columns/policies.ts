import type { ColumnDefinition } from '../../definition.ts'
import { age, column, none } from './column.ts'

interface Budget {
  readonly spec?: { readonly minAvailable?: number | string; readonly maxUnavailable?: number | string }
  readonly status?: { readonly disruptionsAllowed?: number }
}

export const disruptionBudgetColumns: readonly ColumnDefinition[] = [
  column<Budget>('Min Available', 'How many pods must stay.', ({ spec }) => String(spec?.minAvailable ?? 'N/A')),
  column<Budget>('Max Unavailable', 'How many pods may go.', ({ spec }) => String(spec?.maxUnavailable ?? 'N/A')),
  column<Budget>(
    'Allowed Disruptions',
    'How many pods may be evicted now.',
    ({ status }) => status?.disruptionsAllowed ?? 0,
    { type: 'integer' },
  ),
  age,
]

interface Autoscaler {
  readonly spec?: {
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly minReplicas?: number
    readonly maxReplicas?: number
    readonly metrics?: readonly Metric[]
  }
  readonly status?: { readonly currentReplicas?: number }
}

interface Metric {
  readonly type?: string
  readonly resource?: { readonly name: string; readonly target?: { readonly averageUtilization?: number } }
}

export const autoscalerColumns: readonly ColumnDefinition[] = [
  column<Autoscaler>('Reference', 'What it scales.', ({ spec }) =>
    spec?.scaleTargetRef === undefined ? none : `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
  ),
  column<Autoscaler>('Targets', 'What it aims at. Nothing is measured here.', ({ spec }) => {
    const metrics = spec?.metrics ?? []
    return metrics.length === 0 ? none : metrics.map(metricText).join(', ')
  }),
  column<Autoscaler>('MinPods', 'How many there are at least.', ({ spec }) => String(spec?.minReplicas ?? '<unset>')),
  column<Autoscaler>('MaxPods', 'How many there are at most.', ({ spec }) => spec?.maxReplicas ?? 0),
  column<Autoscaler>('Replicas', 'How many there are.', ({ status }) => status?.currentReplicas ?? 0),
  age,
]

function metricText({ type, resource }: Metric): string {
  if (type !== 'Resource' || resource === undefined) return '<unknown>/<unknown>'
  const target = resource.target?.averageUtilization
  return `${resource.name}: <unknown>/${target === undefined ? '<auto>' : `${target}%`}`
}

interface PriorityClass {
  readonly value?: number
  readonly globalDefault?: boolean
  readonly preemptionPolicy?: string
}

export const priorityClassColumns: readonly ColumnDefinition[] = [
  column<PriorityClass>('Value', 'More goes first.', ({ value }) => value ?? 0, { type: 'integer' }),
  column<PriorityClass>('Global-Default', 'Whether pods have it that name none.', (one) => one.globalDefault ?? false, {
    type: 'boolean',
  }),
  age,
  column<PriorityClass>('PreemptionPolicy', 'Whether it may push others out.', (one) => one.preemptionPolicy ?? ''),
]

interface Quota {
  readonly status?: { readonly hard?: Quantities; readonly used?: Quantities }
}

type Quantities = Readonly<Record<string, string | number>>

export const quotaColumns: readonly ColumnDefinition[] = [
  column<Quota>('Request', 'Used, of how much there is.', (quota) => quotaText(quota, false)),
  column<Quota>('Limit', 'The same for limits.', (quota) => quotaText(quota, true)),
  age,
]

function quotaText({ status }: Quota, limits: boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter((name) => name.startsWith('limits.') === limits)
  return names
    .toSorted()
    .map((name) => `${name}: ${status?.used?.[name] ?? 0}/${status?.hard?.[name] ?? 0}`)
    .join(', ')
}
