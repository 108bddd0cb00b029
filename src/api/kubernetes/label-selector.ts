import Type from 'typebox'
import type { LabelSelector, LabelSelectorRequirement } from './meta.ts'
import { rules, type Rule } from '../schema/rule.ts'
import { labelKey, labelValue, oneOf } from '../schema/schema.ts'

type Labels = Readonly<Record<string, string>>

/** Kept low: the API server compares the selectors of a drain plan with one another, at a cost that soon adds up. */
export const selectorLimits = { labelsMax: 8, requirementsMax: 4, valuesMax: 16 } as const

/** Holds for the requirements of label and of node selectors alike. */
export const requirementRules: readonly Rule<{ operator: string; values?: string[] }>[] = [
  {
    rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && self.values.size() > 0)",
    message: 'operators In and NotIn need at least one value',
    fieldPath: '.values',
    reason: 'FieldValueRequired',
    holds: ({ operator, values = [] }) => (operator !== 'In' && operator !== 'NotIn') || values.length > 0,
  },
  {
    rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || self.values.size() == 0",
    message: 'operators Exists and DoesNotExist take no values',
    fieldPath: '.values',
    reason: 'FieldValueForbidden',
    holds: ({ operator, values = [] }) => (operator !== 'Exists' && operator !== 'DoesNotExist') || values.length === 0,
  },
]

const requirementSchema = Type.Object(
  {
    key: labelKey('Key of the label.'),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'], { description: 'How the label relates to the values.' }),
    values: Type.Optional(
      Type.Array(labelValue('A value of the label.'), {
        description: 'Values for In and NotIn; none for Exists and DoesNotExist.',
        maxItems: selectorLimits.valuesMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  { description: 'A condition on one label.', ...rules(...requirementRules) },
)

const selectsSomething: Rule<LabelSelector> = {
  rule: '(has(self.matchLabels) && self.matchLabels.size() > 0) || (has(self.matchExpressions) && self.matchExpressions.size() > 0)',
  message: 'an empty selector is not allowed; leave it out to select every pod',
  holds: ({ matchLabels = {}, matchExpressions = [] }) =>
    Object.keys(matchLabels).length > 0 || matchExpressions.length > 0,
}

export function labelSelectorSchema(description: string) {
  return Type.Object(
    {
      matchLabels: Type.Optional(
        Type.Record(Type.String(), labelValue('The value that the label must have.'), {
          description: 'Labels that must be there with exactly these values.',
          maxProperties: selectorLimits.labelsMax,
        }),
      ),
      matchExpressions: Type.Optional(
        Type.Array(requirementSchema, {
          description: 'Conditions on labels, all of which must hold.',
          maxItems: selectorLimits.requirementsMax,
          'x-kubernetes-list-type': 'atomic',
        }),
      ),
    },
    { description, 'x-kubernetes-map-type': 'atomic', ...rules(selectsSomething) },
  )
}

/** As the API server matches: everything must hold, an empty selector selects everything. */
export function matchesLabelSelector(selector: LabelSelector, labels: Labels = {}): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelOf(labels, key) === value) &&
    (selector.matchExpressions ?? []).every((requirement) => matchesRequirement(requirement, labels))
  )
}

function matchesRequirement(requirement: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labelOf(labels, requirement.key)
  const values = requirement.values ?? []
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn': // holds for an object without the label, too
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}

/** A label named `constructor` is there only if the object has it set. */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}
