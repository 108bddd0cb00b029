import type { ObjectMeta } from '../../../../api/kubernetes/meta.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { age, column, createdAt, none, wideColumn } from './column.ts'

type Content = Readonly<Record<string, unknown>>

const integer = { type: 'integer' } as const
const spec = (object: Content) => (object['spec'] ?? {}) as Readonly<Record<string, unknown>>
/** Nothing but text is shown as text. */
const textOf = (value: unknown, otherwise = '') => (typeof value === 'string' ? value : otherwise)
const sizeOf = (value: unknown) => (typeof value === 'object' && value !== null ? Object.keys(value).length : 0)
const dataCount = column<Content>(
  'Data',
  'How many entries it has.',
  (object) => sizeOf(object['data']) + sizeOf(object['binaryData']),
)

export const namespaceColumns: readonly ColumnDefinition[] = [
  column<{ status?: { phase?: string } }>('Status', 'Active, or on its way out.', ({ status }) => status?.phase ?? ''),
  age,
]

export const configMapColumns: readonly ColumnDefinition[] = [dataCount, age]

export const secretColumns: readonly ColumnDefinition[] = [
  column<Content>('Type', 'What it is for.', (secret) => textOf(secret['type'])),
  dataCount,
  age,
]

export const ageOnly: readonly ColumnDefinition[] = [age]

export const leaseColumns: readonly ColumnDefinition[] = [
  column<Content>('Holder', 'Who has it.', (lease) => textOf(spec(lease)['holderIdentity'])),
  age,
]

export const roleColumns: readonly ColumnDefinition[] = [createdAt]

interface Binding {
  readonly roleRef?: { readonly kind?: string; readonly name?: string }
  readonly subjects?: readonly { readonly kind?: string; readonly name?: string; readonly namespace?: string }[]
}

export const bindingColumns: readonly ColumnDefinition[] = [
  column<Binding>('Role', 'What is granted.', ({ roleRef }) => `${textOf(roleRef?.kind)}/${textOf(roleRef?.name)}`),
  age,
  wideColumn<Binding>('Users', 'Who gets it.', (binding) => subjectsText(binding, 'User')),
  wideColumn<Binding>('Groups', 'Which groups get it.', (binding) => subjectsText(binding, 'Group')),
  wideColumn<Binding>('ServiceAccounts', 'Which service accounts get it.', (binding) =>
    subjectsText(binding, 'ServiceAccount'),
  ),
]

function subjectsText({ subjects = [] }: Binding, wanted: string): string {
  const names = subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ name, namespace }) => (wanted === 'ServiceAccount' ? `${textOf(namespace)}/${textOf(name)}` : name))
  return names.join(', ')
}

export const webhookColumns: readonly ColumnDefinition[] = [
  column<Content>('Webhooks', 'How many it has.', (configuration) => sizeOf(configuration['webhooks']), integer),
  age,
]

const paramKind = column<Content>('ParamKind', 'What it is configured by.', (policy) => {
  const kind = spec(policy)['paramKind'] as { apiVersion?: string; kind?: string } | undefined
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`
})

export const policyColumns: readonly ColumnDefinition[] = [
  column<Content>('Validations', 'How many it has.', (policy) => sizeOf(spec(policy)['validations']), integer),
  paramKind,
  age,
]

export const mutatingPolicyColumns: readonly ColumnDefinition[] = [
  column<Content>('Mutations', 'How many it has.', (policy) => sizeOf(spec(policy)['mutations']), integer),
  paramKind,
  age,
]

export const policyBindingColumns: readonly ColumnDefinition[] = [
  column<Content>('PolicyName', 'Which policy it puts to work.', (binding) => textOf(spec(binding)['policyName'])),
  column<Content>('ParamRef', 'What the policy is configured with.', (binding) => {
    const reference = spec(binding)['paramRef'] as { name?: string; namespace?: string } | undefined
    return reference?.name === undefined ? '<unset>' : `${reference.namespace ?? '*'}/${reference.name}`
  }),
  age,
]

export const revisionColumns: readonly ColumnDefinition[] = [
  column<{ metadata: ObjectMeta }>('Controller', 'Whose template it keeps.', ({ metadata }) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner === undefined) return none
    const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : ''
    return `${owner.kind.toLowerCase()}${group}/${owner.name}`
  }),
  column<Content>('Revision', 'Its number.', (revision) => Number(revision['revision'] ?? 0)),
  age,
]

export const claimColumns: readonly ColumnDefinition[] = [
  column<Content & { metadata: ObjectMeta }>('Status', 'Whether it has a volume.', (claim) =>
    claim.metadata.deletionTimestamp === undefined
      ? ((claim['status'] as { phase?: string } | undefined)?.phase ?? '')
      : 'Terminating',
  ),
  column<Content>('Volume', 'Which one.', (claim) => textOf(spec(claim)['volumeName'])),
  column<Content>('Capacity', 'How much it holds.', (claim) => {
    const { capacity } = (claim['status'] ?? {}) as { capacity?: { storage?: string } }
    return capacity?.storage ?? ''
  }),
  column<Content>('Access Modes', 'How it may be mounted.', (claim) => {
    const { accessModes = [] } = (claim['status'] ?? {}) as { accessModes?: readonly string[] }
    return accessModes.map((mode) => accessModeNames[mode] ?? mode).join(',')
  }),
  column<Content>('StorageClass', 'Where it comes from.', (claim) => textOf(spec(claim)['storageClassName'])),
  column<Content>('VolumeAttributesClass', 'How it is tuned.', (claim) =>
    textOf(spec(claim)['volumeAttributesClassName'], '<unset>'),
  ),
  age,
  wideColumn<Content>('VolumeMode', 'Files or blocks.', (claim) => textOf(spec(claim)['volumeMode'], '<unset>')),
]

const accessModeNames: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}
