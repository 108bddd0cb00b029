import { describe, expect, test } from 'vitest'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { atOnce } from '../plugin.ts'

const pods = podsOf([
  { namespace: 'shop', labels: { app: 'web', team: 'x' } },
  { namespace: 'shop', labels: { app: 'db', team: 'x' } },
  { namespace: 'shop', labels: {} },
  { namespace: 'bank', labels: { app: 'web' } },
  { namespace: 'bank', labels: { app: 'web' }, phase: 'Failed' },
])
const { cohorts } = new FitGround([{ name: 'n1' }], pods)

interface Row {
  readonly name: string
  readonly selector: LabelSelector | undefined
  readonly namespace: string | undefined
  readonly expected: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'no selector', selector: undefined, namespace: 'shop', expected: [] },
  { name: 'an empty selector', selector: {}, namespace: 'shop', expected: ['p0', 'p1', 'p2'] },
  { name: 'a label', selector: { matchLabels: { app: 'web' } }, namespace: 'shop', expected: ['p0'] },
  {
    name: 'a label in all namespaces',
    selector: { matchLabels: { app: 'web' } },
    namespace: undefined,
    expected: ['p0', 'p3'],
  },
  { name: 'an unknown namespace', selector: {}, namespace: 'lost', expected: [] },
  { name: 'two labels', selector: { matchLabels: { team: 'x', app: 'db' } }, namespace: 'shop', expected: ['p1'] },
  { name: 'a value that no pod has', selector: { matchLabels: { app: 'mail' } }, namespace: 'shop', expected: [] },
  { name: 'a key that no pod has', selector: { matchLabels: { constructor: 'x' } }, namespace: 'shop', expected: [] },
  {
    name: 'one of several values',
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db', 'web', 'mail'] }] },
    namespace: 'shop',
    expected: ['p0', 'p1'],
  },
  {
    name: 'none of several values',
    selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] },
    namespace: 'shop',
    expected: ['p1', 'p2'],
  },
]

describe('selects by', () => {
  test.each(rows)('$name', ({ selector, namespace, expected }) => {
    const selected = atOnce(cohorts.selectedBy(selector, namespace)).flatMap((cohort) =>
      cohort.pods.map(({ name }) => name),
    )
    expect(selected).toEqual(expected)
  })
})

test('pods of one template and namespace are one cohort', () => {
  const [one, ...others] = podsOf([{}, { nodeName: 'n2' }, { namespace: 'bank' }])
  if (one === undefined) throw new Error('a pod')
  const ground = new FitGround(
    [{ name: 'n1' }],
    [one, ...others.map((pod) => Object.assign(pod, { template: one.template }))],
  )
  expect(ground.cohorts.listIn(undefined).map((cohort) => cohort.pods.map(({ name }) => name))).toEqual([
    ['p0', 'p1'],
    ['p2'],
  ])
})

test.each([
  { name: 'a running pod is there', pod: {}, expected: true },
  { name: 'a pod that is being deleted is there', pod: { isTerminating: true }, expected: true },
  { name: 'a pod that is over is not', pod: { phase: 'Succeeded' }, expected: false },
  { name: 'a pod on an unknown node is not', pod: { nodeName: 'n9' }, expected: false },
])('$name', ({ pod: choices, expected }) => {
  const [pod] = podsOf([choices])
  if (pod === undefined) throw new Error('a pod')
  const ground = new FitGround([{ name: 'n1' }], [pod])
  expect(ground.cohorts.isThere(pod)).toBe(expected)
  const told: string[] = []
  for (const { watchers } of ground.cohorts.listIn(undefined)) watchers.push({ remove: ({ name }) => told.push(name) })
  ground.cohorts.leave(pod)
  ground.cohorts.leave(pod)
  expect(ground.cohorts.isThere(pod)).toBe(false)
  expect(told).toEqual(expected ? ['p0'] : [])
})
