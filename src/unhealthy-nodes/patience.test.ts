import { expect, test } from 'vitest'
import type { Pod } from '../api/kubernetes/core.ts'
import { stored } from '../../test/build/stored.ts'
import { hasPatience, patienceMs } from './patience.ts'

const added = { 'evacuation.coordination.k8s.io/added-toleration-seconds': '60' }
const policy = { 'kubernetes.io/evict-policy': 'ControllerTakeOver' }
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }
const toleration = (key: string, tolerationSeconds?: number) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})
type Tolerations = NonNullable<NonNullable<Pod['spec']>['tolerations']>

interface Row {
  readonly name: string
  readonly metadata?: Partial<Pod['metadata']>
  readonly tolerations?: Tolerations
  readonly expected: number | undefined
}

const usual: Tolerations = [toleration('not-ready', 360), toleration('unreachable', 360)]
const owned = { ownerReferences: [owner], annotations: { ...policy, ...added } }
const podWith = (metadata: Partial<Pod['metadata']>, tolerations: Tolerations): Pod =>
  stored({ metadata: { namespace: 'shop', name: 'web-1', ...metadata }, spec: { containers: [], tolerations } })

test.each<Row>([
  { name: 'what it asked for, without the time of its controller', expected: 300_000 },
  { name: 'by the first of several', tolerations: [...usual, toleration('not-ready', 90)], expected: 300_000 },
  {
    name: 'by the first, though another tolerates for ever',
    tolerations: [toleration('not-ready', 65), { operator: 'Exists' }],
    expected: 5_000,
  },
  {
    name: 'no end, if the first tolerates for ever',
    tolerations: [{ operator: 'Exists' }, toleration('not-ready', 65)],
    expected: undefined,
  },
  { name: 'nothing', tolerations: [toleration('not-ready', 60)], expected: 0 },
  { name: 'nothing, if somebody changed the numbers', tolerations: [toleration('not-ready', 10)], expected: 0 },
  {
    name: 'no matter, if what counts is for all taints and got no time',
    tolerations: [{ operator: 'Exists', tolerationSeconds: 30 }, ...usual],
    expected: undefined,
  },
  { name: 'no end, if it tolerates for ever', tolerations: [{ operator: 'Exists' }], expected: undefined },
  { name: 'no matter, if it tolerates it not at all', tolerations: [], expected: undefined },
  { name: 'no matter to the other taint', tolerations: [toleration('unreachable', 360)], expected: undefined },
  {
    name: 'no matter without the time of its controller: it was there before Lifeboat',
    metadata: { ...owned, annotations: policy },
    expected: undefined,
  },
  {
    name: 'no matter where that time means nothing',
    metadata: { ...owned, annotations: { ...policy, 'evacuation.coordination.k8s.io/added-toleration-seconds': '-5' } },
    expected: undefined,
  },
  { name: 'no matter under Default', metadata: { ...owned, annotations: added }, expected: undefined },
  { name: 'no matter without a controller', metadata: { annotations: owned.annotations }, expected: undefined },
  {
    name: 'no matter of a DaemonSet',
    metadata: { ...owned, ownerReferences: [{ ...owner, kind: 'DaemonSet' }] },
    expected: undefined,
  },
  {
    name: 'no matter of a static pod',
    metadata: { ...owned, annotations: { ...owned.annotations, 'kubernetes.io/config.mirror': 'x' } },
    expected: undefined,
  },
  {
    name: 'no matter of one that terminates',
    metadata: { ...owned, deletionTimestamp: '2026-01-01T00:00:00Z' },
    expected: undefined,
  },
])('a pod tolerates $name', ({ metadata = owned, tolerations = usual, expected }) => {
  expect(patienceMs(podWith(metadata, tolerations), 'node.kubernetes.io/not-ready')).toBe(expected)
})

test('a pod matters if it does to one of the taints', () => {
  expect(hasPatience(podWith(owned, [toleration('unreachable', 360)]))).toBe(true)
  expect(hasPatience(podWith(owned, [toleration('disk-pressure', 360)]))).toBe(false)
})
