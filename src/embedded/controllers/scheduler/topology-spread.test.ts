import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import { Ledger } from './ledger.ts'
import { spreadCheck } from './topology-spread.ts'

const taints = [{ key: 'dedicated', effect: 'NoSchedule' }]
const nodes = [
  nodeNamed('a', { labels: { zone: '1', disk: 'ssd' } }),
  nodeNamed('b', { labels: { zone: '2', disk: 'ssd' } }),
  nodeNamed('c', { labels: { zone: '3' }, spec: { taints } }),
  nodeNamed('d'),
]

function verdicts(
  constraint: object,
  podsOn: readonly string[],
  spec: object = {},
  labels: Record<string, string> = { app: 'web' },
) {
  const ledger = new Ledger()
  for (const node of nodes) ledger.putNode(node)
  for (const [index, nodeName] of podsOn.entries()) {
    ledger.putPod(`pod-${index}`, {
      metadata: storedMeta({ namespace: 'default', labels: { app: 'web' } }),
      spec: { nodeName },
    })
  }
  const whole = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
    ...constraint,
  }
  const pod = {
    metadata: storedMeta({ namespace: 'default', labels }),
    spec: { topologySpreadConstraints: [whole], ...spec },
  }
  return nodes.map(spreadCheck(pod, ledger)).join(' ')
}

describe('spread', () => {
  test.each([
    { name: 'an empty cluster takes it anywhere', podsOn: [], expected: 'fits fits fits missingLabel' },
    { name: 'the emptier zones come next', podsOn: ['a'], expected: 'skew fits fits missingLabel' },
    { name: 'all zones are even', podsOn: ['a', 'b', 'c'], expected: 'fits fits fits missingLabel' },
    {
      name: 'a wider skew allows more',
      constraint: { maxSkew: 2 },
      podsOn: ['a'],
      expected: 'fits fits fits missingLabel',
    },
    {
      name: 'ScheduleAnyway asks for nothing',
      constraint: { whenUnsatisfiable: 'ScheduleAnyway' },
      podsOn: ['a'],
      expected: 'fits fits fits fits',
    },
    {
      name: 'nodes that the pod cannot go to are no domains',
      podsOn: ['a', 'b'],
      spec: { nodeSelector: { disk: 'ssd' } },
      expected: 'fits fits fits missingLabel',
    },
    { name: 'tainted nodes are, unless told otherwise', podsOn: ['a', 'b'], expected: 'skew skew fits missingLabel' },
    {
      name: 'or are not, if told so',
      constraint: { nodeTaintsPolicy: 'Honor' },
      podsOn: ['a', 'b'],
      expected: 'fits fits fits missingLabel',
    },
    {
      name: 'too few domains count as an empty one',
      constraint: { minDomains: 4 },
      podsOn: ['a', 'b', 'c'],
      expected: 'skew skew skew missingLabel',
    },
    {
      name: 'a pod that is not counted itself adds nothing',
      podsOn: ['a'],
      labels: { app: 'db' },
      expected: 'fits fits fits missingLabel',
    },
  ])('$name', ({ constraint = {}, podsOn, spec = {}, labels = { app: 'web' }, expected }) => {
    expect(verdicts(constraint, podsOn, spec, labels as Record<string, string>)).toBe(expected)
  })
})
