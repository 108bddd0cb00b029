import Type from 'typebox'
import type { ObjectMeta } from './meta.ts'
import { labelOf, requirementRules } from './label-selector.ts'
import { rules, type Rule } from '../schema/rule.ts'
import { labelKey, oneOf, type Described } from '../schema/schema.ts'

export const nodeSelectorLimits = { termsMax: 256, requirementsMax: 16, valuesMax: 256 } as const

const integerPattern = '^[+-]?[0-9]{1,18}$'

const comparesIntegers: Rule<{ operator: string; values?: string[] }> = {
  rule: `!(self.operator in ['Gt', 'Lt']) || (has(self.values) && self.values.size() == 1 && self.values[0].matches('${integerPattern}'))`,
  message: 'operators Gt and Lt need exactly one value, an integer',
  fieldPath: '.values',
  holds: ({ operator, values = [] }) =>
    (operator !== 'Gt' && operator !== 'Lt') ||
    (values.length === 1 && new RegExp(integerPattern).test(values[0] ?? '')),
}

const expressionSchema = Type.Object(
  {
    key: labelKey('Key of the label.'),
    operator: oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'], {
      description: 'How the label relates to the values; Gt and Lt compare integers.',
    }),
    values: Type.Optional(
      Type.Array(Type.String({ description: 'A value of the label.', maxLength: 63 }), {
        description: 'Values for In and NotIn, one integer for Gt and Lt, none for Exists and DoesNotExist.',
        maxItems: nodeSelectorLimits.valuesMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  { description: 'A condition on one label of a node.', ...rules(...requirementRules, comparesIntegers) },
)

const fieldSchema = Type.Object(
  {
    key: oneOf(['metadata.name'], { description: 'Field of the node: its name is the only one there is.' }),
    operator: oneOf(['In', 'NotIn'], { description: 'Whether the name must or must not be the value.' }),
    values: Type.Array(Type.String({ description: 'Name of a node.', minLength: 1, maxLength: 253 }), {
      description: "Exactly one name, as in a pod's node affinity; list more nodes as more terms.",
      minItems: 1,
      maxItems: 1,
      'x-kubernetes-list-type': 'atomic',
    }),
  },
  { description: 'A condition on the name of a node.' },
)

const termSchema = Type.Object(
  {
    matchExpressions: Type.Optional(
      Type.Array(expressionSchema, {
        description: 'Conditions on the labels of a node.',
        maxItems: nodeSelectorLimits.requirementsMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    matchFields: Type.Optional(
      Type.Array(fieldSchema, {
        description: 'Conditions on the name of a node.',
        maxItems: nodeSelectorLimits.requirementsMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
  },
  {
    description: 'Conditions all of which must hold. A term without any selects no node.',
    'x-kubernetes-map-type': 'atomic',
  },
)

export function nodeSelectorSchema(description: string) {
  return Type.Object(
    {
      nodeSelectorTerms: Type.Array(termSchema, {
        description: 'A node is selected if at least one of the terms selects it.',
        minItems: 1,
        maxItems: nodeSelectorLimits.termsMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    },
    { description, 'x-kubernetes-map-type': 'atomic' },
  )
}

export type NodeSelector = Described<ReturnType<typeof nodeSelectorSchema>>
type NodeSelectorTerm = NodeSelector['nodeSelectorTerms'][number]
/** What a selector looks at. */
interface SelectedNode {
  readonly metadata: Pick<ObjectMeta, 'name' | 'labels'>
}

type Expression = Described<typeof expressionSchema>

/** As the scheduler matches: any term, within a term everything, and an empty term never. */
export function matchesNodeSelector(selector: NodeSelector, node: SelectedNode): boolean {
  return selector.nodeSelectorTerms.some((term) => matchesTerm(term, node))
}

/** All nodes that it may select, where it gives them by name. Undefined: it may select any. */
export function namesIn(selector: NodeSelector): ReadonlySet<string> | undefined {
  const names = new Set<string>()
  for (const { matchExpressions = [], matchFields = [] } of selector.nodeSelectorTerms) {
    const named = matchFields.find(({ operator }) => operator === 'In')
    if (named === undefined && matchExpressions.length + matchFields.length > 0) return undefined
    for (const name of named?.values ?? []) names.add(name)
  }
  return names
}

function matchesTerm(term: NodeSelectorTerm, node: SelectedNode): boolean {
  const { matchExpressions = [], matchFields = [] } = term
  if (matchExpressions.length === 0 && matchFields.length === 0) return false
  return (
    matchExpressions.every((expression) => matchesExpression(expression, node.metadata.labels ?? {})) &&
    matchFields.every(({ operator, values }) => values.includes(node.metadata.name) === (operator === 'In'))
  )
}

function matchesExpression(expression: Expression, labels: Readonly<Record<string, string>>): boolean {
  const value = labelOf(labels, expression.key)
  const values = expression.values ?? []
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
    case 'Lt': {
      const actual = parseInteger(value)
      const bound = parseInteger(values[0])
      if (actual === undefined || bound === undefined) return false
      return expression.operator === 'Gt' ? actual > bound : actual < bound
    }
  }
}

const int64 = { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }

/** Labels hold 64-bit integers, more than a number can tell apart. */
function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''))
  return value >= int64.minimum && value <= int64.maximum ? value : undefined
}
