import type { LabelSelector } from '../../../../api/kubernetes/meta.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { humanDuration } from '../human-duration.ts'
import { age, column, labelsText, selectorText, wideColumn } from './column.ts'

type Workload = {
  spec?: {
    replicas?: number
    completions?: number
    parallelism?: number
    selector?: LabelSelector
    template?: { spec?: { containers?: { name?: string; image?: string }[]; nodeSelector?: Record<string, string> } }
  }
  status?: Record<string, unknown> & { conditions?: { type: string; status: string }[] }
}

const integer = { type: 'integer' } as const
const count = (workload: Workload, field: string) => Number(workload.status?.[field] ?? 0)
const containersOf = ({ spec }: Workload) => spec?.template?.spec?.containers ?? []

const containers = wideColumn<Workload>('Containers', 'Their names.', (workload) =>
  containersOf(workload)
    .map(({ name }) => name)
    .join(','),
)
const images = wideColumn<Workload>('Images', 'Of its containers.', (workload) =>
  containersOf(workload)
    .map(({ image }) => image ?? '')
    .join(','),
)
const selector = wideColumn<Workload>('Selector', 'Which pods are its own.', ({ spec }) => selectorText(spec?.selector))
const details = [containers, images, selector]

const readyOfDesired = column<Workload>(
  'Ready',
  'How many pods are ready, of how many wanted.',
  (workload) => `${count(workload, 'readyReplicas')}/${workload.spec?.replicas ?? 0}`,
)

export const deploymentColumns: readonly ColumnDefinition[] = [
  readyOfDesired,
  column<Workload>('Up-to-date', 'How many pods have the newest template.', (one) => count(one, 'updatedReplicas')),
  column<Workload>('Available', 'How many pods have been ready for long enough.', (one) =>
    count(one, 'availableReplicas'),
  ),
  age,
  ...details,
]

export const replicaSetColumns: readonly ColumnDefinition[] = [
  column<Workload>('Desired', 'How many pods are wanted.', ({ spec }) => spec?.replicas ?? 0, integer),
  column<Workload>('Current', 'How many pods there are.', (one) => count(one, 'replicas'), integer),
  column<Workload>('Ready', 'How many of them are ready.', (one) => count(one, 'readyReplicas'), integer),
  age,
  ...details,
]

export const statefulSetColumns: readonly ColumnDefinition[] = [readyOfDesired, age, containers, images]

export const daemonSetColumns: readonly ColumnDefinition[] = [
  column<Workload>('Desired', 'How many nodes want a pod.', (one) => count(one, 'desiredNumberScheduled'), integer),
  column<Workload>('Current', 'How many of them have one.', (one) => count(one, 'currentNumberScheduled'), integer),
  column<Workload>('Ready', 'How many pods are ready.', (one) => count(one, 'numberReady'), integer),
  column<Workload>(
    'Up-to-date',
    'How many have the newest template.',
    (one) => count(one, 'updatedNumberScheduled'),
    integer,
  ),
  column<Workload>(
    'Available',
    'How many have been ready for long enough.',
    (one) => count(one, 'numberAvailable'),
    integer,
  ),
  column<Workload>('Node Selector', 'Labels of the nodes that it wants.', ({ spec }) =>
    labelsText(spec?.template?.spec?.nodeSelector),
  ),
  age,
  ...details,
]

export const jobColumns: readonly ColumnDefinition[] = [
  column<Workload>('Status', 'How far it is.', jobStatus),
  column<Workload>('Completions', 'How many pods have succeeded, of how many wanted.', (job) => {
    const succeeded = count(job, 'succeeded')
    if (job.spec?.completions !== undefined) return `${succeeded}/${job.spec.completions}`
    const { parallelism = 0 } = job.spec ?? {}
    return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
  }),
  column<Workload>('Duration', 'How long it took, or has been running.', ({ status }, nowMs) => {
    const { startTime, completionTime } = (status ?? {}) as { startTime?: string; completionTime?: string }
    if (startTime === undefined) return ''
    const endMs = completionTime === undefined ? nowMs : Date.parse(completionTime)
    return humanDuration(endMs - Date.parse(startTime))
  }),
  age,
  ...details,
]

function jobStatus({ metadata, status }: Workload & { metadata: { readonly deletionTimestamp?: string } }): string {
  const holds = (wanted: string) =>
    status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false
  const ended = ['Complete', 'Failed'].find(holds)
  if (ended !== undefined) return ended
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running'
}
