import { expect, test } from 'vitest'
import { buildWorkloadReader, buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import { evacuations, newEvacuationStatus, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { StatefulSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { podDisruptionBudgets, pods, statefulSets } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { statefulSet } from './stateful-set.ts'

const annotations = { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' }
const identity = { name: 'db', namespace: 'shop', uid: 'set', resourceVersion: '1' }
const db: StatefulSet = { metadata: { ...identity, annotations }, spec: { replicas: 3 } }

function podAt(ordinal: number, owner: object = {}): Pod {
  const reference = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'set', controller: true, ...owner }
  return {
    metadata: {
      name: `db-${ordinal}`,
      namespace: 'shop',
      uid: `pod-${ordinal}`,
      resourceVersion: '1',
      labels: { app: 'db' },
      ownerReferences: [reference],
    },
  }
}

const budgetOf = (matchLabels: Record<string, string>) => ({
  metadata: storedMeta({ namespace: 'shop', name: `of-${matchLabels['app']}` }),
  spec: { selector: { matchLabels } },
})

function evacuationOf(
  pod: Pod,
  change: { status?: object; metadata?: Partial<Evacuation['metadata']> } = {},
): Evacuation {
  const podRef = podRefOf(pod)
  const status = { ...newEvacuationStatus, activeEvacuatorClass: statefulSet.evacuatorClass, ...change.status }
  return {
    metadata: storedMeta({ name: evacuationName(podRef), namespace: 'shop', ...change.metadata }),
    spec: { podRef: { name: podRef.name, uid: podRef.uid }, progressDeadlineSeconds: 600 },
    status,
  }
}

test.each([
  { name: 'claims a pod of a set that opted in', pod: podAt(0), set: db, isClaimed: true },
  { name: 'leaves one of a set that did not', pod: podAt(0), set: { ...db, metadata: identity } },
  { name: 'leaves one whose set is another one by now', pod: podAt(0, { uid: 'former' }), set: db },
  { name: 'leaves one whose set is gone', pod: podAt(0), set: undefined },
  { name: 'leaves one that only knows the set', pod: podAt(0, { controller: false }), set: db },
  { name: 'leaves one of a kind of the same name', pod: podAt(0, { apiVersion: 'example.com/v1' }), set: db },
  { name: 'leaves one of a Deployment', pod: podAt(0, { kind: 'ReplicaSet' }), set: db },
])('$name', async ({ pod, set, isClaimed = false }) => {
  const claim = await statefulSet.claim(pod, buildWorkloadReader([[statefulSets, ...(set === undefined ? [] : [set])]]))
  const registration = { evacuatorClass: 'statefulset.apps.k8s.io', priority: 10_000, role: 'controller' }
  expect(claim).toEqual(isClaimed ? registration : undefined)
})

test('looks at the pods of the set and at who of them is evacuated', async () => {
  const [first, second, third, other] = [podAt(0), podAt(1), podAt(2), podAt(3, { uid: 'other' })] as const
  const blocked = [{ type: 'Blocked', status: 'True', reason: 'DisruptionBudget' }]
  const world = buildWorkloadWorld('shop', [
    [statefulSets, db],
    [pods, first, second, third, other],
    [podDisruptionBudgets, budgetOf({ app: 'db' }), budgetOf({ app: 'web' })],
    [
      evacuations,
      evacuationOf(first),
      evacuationOf(second, { status: { conditions: blocked } }),
      evacuationOf(third, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ],
  ])
  const signal = new AbortController().signal
  const turn = { evacuation: evacuationOf(first), pod: first, nowMs: 0, evictionAskedMs: 7, signal }
  expect(await statefulSet.gather(turn, world)).toEqual({
    pod: first,
    set: db,
    pods: [first, second, third],
    budgets: [budgetOf({ app: 'db' })],
    evictionAskedMs: 7,
    evacuating: new Map([
      ['pod-0', { isBlocked: false }],
      ['pod-1', { isBlocked: true }],
    ]),
  })
  expect(statefulSet.follows(first).map(({ resource }) => resource)).toEqual([
    pods,
    statefulSets,
    podDisruptionBudgets,
    evacuations,
  ])
  expect(statefulSet.workloadOf(first, world)).toBe('set')
})

test('sees that the set let go of the pod', async () => {
  const bare = stored<Pod>({ metadata: { name: 'db-0', namespace: 'shop', uid: 'pod-0' } })
  const world = buildWorkloadWorld('shop', [[statefulSets, db], [pods, bare], [podDisruptionBudgets], [evacuations]])
  const turn = { evacuation: evacuationOf(bare), pod: bare, nowMs: 0, signal: new AbortController().signal }
  const view = await statefulSet.gather(turn, world)
  expect(statefulSet.step(view, 0)).toMatchObject({ kind: 'completed' })
})
