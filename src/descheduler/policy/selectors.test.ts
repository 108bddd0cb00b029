import { describe, expect, test } from 'vitest'
import {
  parsedArgs,
  parsedEvictor,
  parsedPolicy,
  policyText,
  problemsIn,
  problemsInArgs,
} from '../../../test/build/descheduler-policy.ts'

const plugin = 'RemovePodsViolatingInterPodAntiAffinity'
const mustBeKey = 'must be a label key, such as app or example.com/tier'
const mustBeValue = 'must be a label value: a string of up to 63 letters, digits, "-", "_" and "."'

describe('pods are selected', () => {
  test.each([
    { name: 'by nothing', args: '{}', expected: {} },
    { name: 'by namespaces', args: '{ namespaces: { include: [a] } }', expected: { namespaces: { include: ['a'] } } },
    {
      name: 'by other namespaces, with an empty list beside them',
      args: '{ namespaces: { include: [], exclude: [a, b] } }',
      expected: { namespaces: { exclude: ['a', 'b'] } },
    },
    { name: 'by no namespace in particular', args: '{ namespaces: { include: [] } }', expected: {} },
    { name: 'by an empty label selector', args: '{ labelSelector: {} }', expected: { labelSelector: {} } },
    {
      name: 'by labels, also an empty one',
      args: '{ labelSelector: { matchLabels: { app: cart, example.com/tier: "" } } }',
      expected: { labelSelector: { matchLabels: { app: 'cart', 'example.com/tier': '' } } },
    },
    {
      name: 'by conditions',
      args: '{ labelSelector: { matchExpressions: [{ key: app, operator: NotIn, values: [a] }, { key: b, operator: Exists, values: [] }] } }',
      expected: {
        labelSelector: {
          matchExpressions: [
            { key: 'app', operator: 'NotIn', values: ['a'] },
            { key: 'b', operator: 'Exists' },
          ],
        },
      },
    },
  ])('$name', ({ args, expected }) => expect(parsedArgs(plugin, args)).toStrictEqual(expected))
})

describe('pods are not selected', () => {
  test.each([
    {
      name: 'by namespaces in both ways',
      args: '{ namespaces: { include: [a], exclude: [b] } }',
      expected: ['args.namespaces is {"include":["a"],"exclude":["b"]}: must have include or exclude, not both'],
    },
    {
      name: 'by a namespace outside of a list',
      args: '{ namespaces: { include: a } }',
      expected: ['args.namespaces.include is "a": must be a list'],
    },
    {
      name: 'by a list of namespaces without a word for it',
      args: '{ namespaces: [a] }',
      expected: ['args.namespaces is ["a"]: must be an object'],
    },
    {
      name: 'by namespaces in other words',
      args: '{ namespaces: { included: [a] } }',
      expected: ['args.namespaces.included is ["a"]: there is no such field; did you mean include?'],
    },
    {
      name: 'by a namespace that YAML reads as no',
      args: '{ namespaces: { include: [n] } }',
      expected: ['args.namespaces.include[0] is false: must be a string'],
    },
    {
      name: 'by a selector as text',
      args: '{ labelSelector: app=cart }',
      expected: ['args.labelSelector is "app=cart": must be an object'],
    },
    {
      name: 'by labels without matchLabels',
      args: '{ labelSelector: { app: cart } }',
      expected: ['args.labelSelector.app is "cart": there is no such field; there are matchExpressions, matchLabels'],
    },
    {
      name: 'by a label whose value is no text',
      args: '{ labelSelector: { matchLabels: { app: 1 } } }',
      expected: [`args.labelSelector.matchLabels.app is 1: ${mustBeValue}`],
    },
    {
      name: 'by a label whose value has a space',
      args: '{ labelSelector: { matchLabels: { app: a b } } }',
      expected: [`args.labelSelector.matchLabels.app is "a b": ${mustBeValue}`],
    },
    {
      name: 'by a label whose value is too long',
      args: `{ labelSelector: { matchLabels: { app: ${'a'.repeat(64)} } } }`,
      expected: [`args.labelSelector.matchLabels.app is "${'a'.repeat(64)}": ${mustBeValue}`],
    },
    {
      name: 'by a key with two slashes',
      args: '{ labelSelector: { matchLabels: { a/b/c: d } } }',
      expected: [`args.labelSelector.matchLabels is "a/b/c": ${mustBeKey}`],
    },
    {
      name: 'by a key whose prefix is no domain',
      args: '{ labelSelector: { matchLabels: { A.com/b: c } } }',
      expected: [`args.labelSelector.matchLabels is "A.com/b": ${mustBeKey}`],
    },
    {
      name: 'by a condition without key and operator',
      args: '{ labelSelector: { matchExpressions: [{}] } }',
      expected: [
        `args.labelSelector.matchExpressions[0].key is missing: ${mustBeKey}`,
        'args.labelSelector.matchExpressions[0].operator is missing: must be one of In, NotIn, Exists, DoesNotExist',
      ],
    },
    {
      name: 'by a condition on a number',
      args: '{ labelSelector: { matchExpressions: [{ key: 1, operator: Exists }] } }',
      expected: [`args.labelSelector.matchExpressions[0].key is 1: ${mustBeKey}`],
    },
    {
      name: 'by an operator of node selectors',
      args: '{ labelSelector: { matchExpressions: [{ key: a, operator: Gt, values: ["1"] }] } }',
      expected: [
        'args.labelSelector.matchExpressions[0].operator is "Gt": must be one of In, NotIn, Exists, DoesNotExist',
      ],
    },
    {
      name: 'by In without values',
      args: '{ labelSelector: { matchExpressions: [{ key: a, operator: In }] } }',
      expected: ['args.labelSelector.matchExpressions[0].values is missing: must have at least one value for In'],
    },
    {
      name: 'by NotIn with an empty list of values',
      args: '{ labelSelector: { matchExpressions: [{ key: a, operator: NotIn, values: [] }] } }',
      expected: ['args.labelSelector.matchExpressions[0].values is []: must have at least one value for NotIn'],
    },
    {
      name: 'by Exists with values',
      args: '{ labelSelector: { matchExpressions: [{ key: a, operator: Exists, values: [b] }] } }',
      expected: ['args.labelSelector.matchExpressions[0].values is ["b"]: must be left out for Exists'],
    },
    {
      name: 'by a value with a slash',
      args: '{ labelSelector: { matchExpressions: [{ key: a, operator: In, values: [b, c/d] }] } }',
      expected: [`args.labelSelector.matchExpressions[0].values[1] is "c/d": ${mustBeValue}`],
    },
  ])('$name', ({ args, expected }) => expect(problemsInArgs(plugin, args)).toEqual(expected))
})

describe('nodes', () => {
  test.each([
    { name: 'are all selected by an empty text', text: '""', expected: undefined },
    {
      name: 'are selected by the full syntax',
      text: 'pool in (a,b),!gpu,zone!=c',
      expected: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'pool', operator: 'In', values: ['a', 'b'] },
              { key: 'gpu', operator: 'DoesNotExist' },
              { key: 'zone', operator: 'NotIn', values: ['c'] },
            ],
          },
        ],
      },
    },
  ])('$name', ({ text, expected }) => {
    const quoted = text === '""' ? text : `"${text}"`
    expect(parsedPolicy(policyText(`nodeSelector: ${quoted}`)).nodeSelector).toEqual(expected)
    expect(parsedEvictor(`{ nodeSelector: ${quoted} }`).nodeSelector).toEqual(expected)
  })

  const mustBeSelector = 'must be a label selector such as zone=a,!gpu,arch in (arm64,amd64), not'
  test.each([
    { name: 'a condition', text: '"gpu,a b"', expected: `nodeSelector is "gpu,a b": ${mustBeSelector} "a b"` },
    { name: 'an end', text: '"gpu,"', expected: `nodeSelector is "gpu,": ${mustBeSelector} an empty condition` },
    { name: 'a map', text: '{ gpu: a }', expected: 'nodeSelector is {"gpu":"a"}: must be a string' },
  ])('are not selected by a text that is wrong in $name', ({ text, expected }) => {
    expect(problemsIn(policyText(`nodeSelector: ${text}`))).toEqual([expected])
    expect(problemsInArgs('DefaultEvictor', `{ nodeSelector: ${text} }`)).toEqual([`args.${expected}`])
  })
})
