import type { ColumnDefinition } from '../../definition.ts'
import { age, column, none, wideColumn } from './column.ts'

interface ShownNode {
  readonly spec?: { readonly unschedulable?: boolean }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly nodeInfo?: Readonly<Record<string, string | undefined>>
  }
}

const rolePrefix = 'node-role.kubernetes.io/'

export const nodeColumns: readonly ColumnDefinition[] = [
  column<ShownNode>('Status', 'Whether it is ready, and whether pods may be placed there.', ({ spec, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
    return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state
  }),
  column('Roles', 'What its labels say it is for.', ({ metadata }) => {
    const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
      if (key === 'kubernetes.io/role') return value
      return key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : []
    })
    const named = new Set(roles.filter((role) => role !== ''))
    return named.size === 0 ? none : [...named].toSorted().join(',')
  }),
  age,
  column<ShownNode>('Version', 'Of its kubelet.', ({ status }) => status?.nodeInfo?.['kubeletVersion'] ?? ''),
  wideColumn<ShownNode>('Internal-IP', 'Its address within the cluster.', (node) => addressOf(node, 'InternalIP')),
  wideColumn<ShownNode>('External-IP', 'Its address outside.', (node) => addressOf(node, 'ExternalIP')),
  wideColumn<ShownNode>('OS-Image', 'What it runs.', (node) => info(node, 'osImage')),
  wideColumn<ShownNode>('Kernel-Version', 'Its kernel and architecture.', (node) => {
    const architecture = node.status?.nodeInfo?.['architecture'] ?? ''
    return architecture === '' ? info(node, 'kernelVersion') : `${info(node, 'kernelVersion')} (${architecture})`
  }),
  wideColumn<ShownNode>('Container-Runtime', 'What starts its containers.', (node) =>
    info(node, 'containerRuntimeVersion'),
  ),
]

function addressOf({ status }: ShownNode, wanted: string): string {
  return status?.addresses?.find(({ type }) => type === wanted)?.address ?? none
}

function info({ status }: ShownNode, field: string): string {
  const text = status?.nodeInfo?.[field] ?? ''
  return text === '' ? '<unknown>' : text
}
