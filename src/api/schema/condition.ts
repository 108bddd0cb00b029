import Type from 'typebox'
import type { Condition } from '../kubernetes/meta.ts'
import { oneOf, text, timestamp } from './schema.ts'

const conditionSchema = Type.Object(
  {
    type: Type.String({
      description: 'Type of the condition, in CamelCase; a condition of a third party carries its domain as a prefix.',
      minLength: 1,
      maxLength: 316,
      pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
    }),
    status: oneOf(['True', 'False', 'Unknown'], { description: 'Whether the condition holds.' }),
    observedGeneration: Type.Optional(
      Type.Integer({
        description: 'Generation of the object that the condition speaks about.',
        format: 'int64',
        minimum: 0,
      }),
    ),
    lastTransitionTime: timestamp('When the status of the condition last changed.'),
    reason: Type.String({
      description: 'Why it last changed: one CamelCase word for programs.',
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      allowed: 'one CamelCase word',
    }),
    message: text({ description: 'Why it last changed, for people; may be empty.', maxLength: 32_768 }),
  },
  { description: 'One aspect of the state of the object.' },
)

export const conditionsMax = 32

export function conditionList(description: string) {
  return Type.Array(conditionSchema, {
    description,
    maxItems: conditionsMax,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  })
}

/** Sets a condition, keeping the transition time when its status stays the same; the list is sorted by type. */
export function withCondition(
  conditions: readonly Readonly<Condition>[],
  next: Omit<Condition, 'lastTransitionTime'>,
  now: string,
): Condition[] {
  const previous = conditions.find((condition) => condition.type === next.type)
  const unchanged = previous !== undefined && previous.status === next.status
  const condition = { ...next, lastTransitionTime: unchanged ? previous.lastTransitionTime : now }
  return [...conditions.filter(({ type }) => type !== next.type), condition].toSorted((a, b) =>
    a.type < b.type ? -1 : 1,
  )
}

export function conditionIsTrue(conditions: readonly Readonly<Condition>[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
}
