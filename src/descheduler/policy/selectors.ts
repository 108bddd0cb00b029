import type { LabelSelector, LabelSelectorRequirement } from '../../api/kubernetes/meta.ts'
import type { NodeSelector } from '../../api/kubernetes/node-selector.ts'
import { labelValuePattern } from '../../api/schema/schema.ts'
import { parseSelectorText } from '../../api/kubernetes/selector-text.ts'
import { mustBeOneOf, type Fields } from './fields.ts'
import { given } from './given.ts'
import type { Namespaces, OwnerKinds, PodSelection } from './policy.ts'

// What selects pods, namespaces and nodes in a policy.

const lengthMax = { prefix: 253, name: 63 } as const
const prefixPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u
const namePattern = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/u
const valuePattern = new RegExp(labelValuePattern, 'u')
const mustBeLabelKey = 'must be a label key, such as app or example.com/tier'
const mustBeLabelValue = 'must be a label value: a string of up to 63 letters, digits, "-", "_" and "."'
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

export function readPodSelection(fields: Fields): PodSelection {
  return given({
    namespaces: readNamespaces(fields, 'namespaces'),
    labelSelector: readLabelSelector(fields, 'labelSelector'),
  })
}

export function readNamespaces(fields: Fields, name: string): Namespaces | undefined {
  return readEither(fields, name)
}

export function readOwnerKinds(fields: Fields, name: string): OwnerKinds | undefined {
  return readEither(fields, name)
}

/** Node utilization counts the pods of every namespace, so it takes no list of those to include. */
export function readExcludedNamespaces(fields: Fields): { readonly exclude: readonly string[] } | undefined {
  const namespaces = fields.object('evictableNamespaces')
  if (namespaces?.texts('include') !== undefined) namespaces.wrong('include', 'only exclude is possible here')
  const exclude = namespaces?.texts('exclude')
  return exclude === undefined ? undefined : { exclude }
}

function readEither(fields: Fields, name: string): Namespaces | undefined {
  const object = fields.object(name)
  if (object === undefined) return undefined
  const include = object.texts('include')
  const exclude = object.texts('exclude')
  if (include !== undefined && exclude !== undefined) object.wrongAsWhole('must have include or exclude, not both')
  return include === undefined && exclude === undefined ? undefined : given({ include, exclude })
}

/** As metav1.LabelSelectorAsSelector takes it. An empty one selects everything. */
export function readLabelSelector(fields: Fields, name: string): LabelSelector | undefined {
  const selector = fields.object(name)
  if (selector === undefined) return undefined
  const matchExpressions = selector.objects('matchExpressions').map(readRequirement)
  return given({
    matchLabels: readMatchLabels(selector),
    matchExpressions: matchExpressions.length === 0 ? undefined : matchExpressions,
  })
}

function readMatchLabels(selector: Fields): Readonly<Record<string, string>> | undefined {
  const labels = selector.map('matchLabels')
  if (labels === undefined || labels.size === 0) return undefined
  for (const [key, value] of labels) {
    if (!isLabelKey(key)) selector.problem(selector.pathOf('matchLabels'), key, mustBeLabelKey)
    if (!isLabelValue(value)) selector.problem(selector.pathOf('matchLabels', key), value, mustBeLabelValue)
  }
  return Object.fromEntries(labels) as Readonly<Record<string, string>>
}

function readRequirement(requirement: Fields): LabelSelectorRequirement {
  const key = requirement.value('key')
  if (!isLabelKey(key)) requirement.wrong('key', mustBeLabelKey)
  requirement.require('operator', mustBeOneOf(operators))
  const operator = requirement.choice('operator', operators)
  const values = requirement.texts('values')
  for (const [index, value] of (values ?? []).entries()) {
    if (!isLabelValue(value)) requirement.problem(`${requirement.pathOf('values')}[${index}]`, value, mustBeLabelValue)
  }
  const takesValues = operator === 'In' || operator === 'NotIn'
  if (takesValues && values === undefined) requirement.wrong('values', `must have at least one value for ${operator}`)
  if (operator !== undefined && !takesValues && values !== undefined) {
    requirement.wrong('values', `must be left out for ${operator}`)
  }
  return given({ key: String(key), operator: operator ?? 'Exists', values })
}

function isLabelKey(key: unknown): boolean {
  if (typeof key !== 'string') return false
  const parts = key.split('/')
  const [prefix, name = ''] = parts.length === 1 ? [undefined, key] : parts
  if (parts.length > 2 || name.length > lengthMax.name || !namePattern.test(name)) return false
  return prefix === undefined || (prefix.length <= lengthMax.prefix && prefixPattern.test(prefix))
}

function isLabelValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= lengthMax.name && valuePattern.test(value)
}

/** A selector as text. One that is empty selects every node, and reads as left out. */
export function readNodeSelector(fields: Fields, name: string): NodeSelector | undefined {
  const parsed = parseSelectorText(fields.text(name) ?? '')
  if ('faultyPart' in parsed) {
    const fault = parsed.faultyPart === '' ? 'an empty condition' : `"${parsed.faultyPart}"`
    fields.wrong(name, `must be a label selector such as zone=a,!gpu,arch in (arm64,amd64), not ${fault}`)
    return undefined
  }
  const { conditions } = parsed
  return conditions.length === 0 ? undefined : { nodeSelectorTerms: [{ matchExpressions: conditions }] }
}
