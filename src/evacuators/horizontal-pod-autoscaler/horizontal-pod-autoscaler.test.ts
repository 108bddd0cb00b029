import { describe, expect, test } from 'vitest'
import { buildWorkloadReader, buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import { evacuations, newEvacuationStatus, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import {
  deployments,
  horizontalPodAutoscalers,
  pods,
  replicaSets,
  statefulSets,
} from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import type { Deployment, ReplicaSet } from '../../api/kubernetes/apps.ts'
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts'

const owned = (kind: string, name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
})
const podOf = (name: string, owner = owned('ReplicaSet', 'web-1', 'set')): Pod => ({
  metadata: storedMeta({ name, namespace: 'shop', uid: name, ...owner }),
})
const set = stored<ReplicaSet>({
  metadata: { namespace: 'shop', name: 'web-1', uid: 'set', ...owned('Deployment', 'web', 'web') },
})
const web = stored<Deployment>({ metadata: { namespace: 'shop', name: 'web', uid: 'web' }, spec: { replicas: 2 } })

function autoscalerWith(priority: string | undefined, name = 'scaler', target = { kind: 'Deployment', name: 'web' }) {
  const annotations = priority === undefined ? {} : { 'evacuation.coordination.k8s.io/priority': priority }
  const scaleTargetRef = { apiVersion: 'apps/v1', ...target }
  return stored<HorizontalPodAutoscaler>({
    metadata: { name, namespace: 'shop', uid: name, annotations },
    spec: { scaleTargetRef, maxReplicas: 5 },
  })
}

describe('a claim', () => {
  const classed = { evacuatorClass: 'horizontalpodautoscaler.autoscaling.k8s.io' }
  test.each([
    { name: 'has the default priority', all: [autoscalerWith('true')], expected: { ...classed, priority: 9_000 } },
    {
      name: 'has the priority that is asked for',
      all: [autoscalerWith('12000')],
      expected: { ...classed, priority: 12_000 },
    },
    { name: 'needs the opt-in', all: [autoscalerWith(undefined)], expected: undefined },
    {
      name: 'needs an autoscaler of the workload',
      all: [autoscalerWith('true', 'x', { kind: 'Deployment', name: 'mail' })],
      expected: undefined,
    },
    {
      name: 'passes over one that makes no sense',
      all: [autoscalerWith('10000', 'a'), autoscalerWith('', 'b')],
      expected: { ...classed, priority: 9_000 },
      told: ['a'],
    },
    { name: 'is none where nothing makes sense', all: [autoscalerWith('much')], expected: undefined, told: ['scaler'] },
  ])('$name', async ({ all, expected, told = [] }) => {
    const events: ClusterEvent[] = []
    const read = buildWorkloadReader([
      [replicaSets, set],
      [horizontalPodAutoscalers, ...all],
    ])
    const claim = await horizontalPodAutoscaler.claim(podOf('web-1-a'), {
      ...read,
      tell: (event) => void events.push(event),
    })
    expect(claim).toEqual(expected)
    expect(events.map(({ about }) => about.metadata.name)).toEqual(told)
  })

  test('lists no autoscalers for a pod that none can scale', async () => {
    const read = { get: async () => undefined, list: () => Promise.reject(new Error('nobody should ask')) }
    expect(await horizontalPodAutoscaler.claim(podOf('a', owned('Job', 'import', 'job')), read)).toBeUndefined()
  })
})

function evacuationOf(pod: Pod, status: object): Evacuation {
  const podRef = podRefOf(pod)
  return {
    metadata: storedMeta({ name: evacuationName(podRef), namespace: 'shop' }),
    spec: { podRef: { name: podRef.name, uid: podRef.uid }, progressDeadlineSeconds: 600 },
    status: { ...newEvacuationStatus, ...status },
  }
}

test('looks at the workload, its autoscaler and who else is evacuated', async () => {
  const [first, second, third] = [podOf('a'), podOf('b'), podOf('c')] as const
  const active = { activeEvacuatorClass: horizontalPodAutoscaler.evacuatorClass }
  const surge = { found: 1, base: 2, set: 4, peak: 4, evacuations: ['a-a', 'b-b', 'gone-gone'] }
  const { metadata, spec } = autoscalerWith('', 'scaler')
  const note = { 'evacuation.coordination.k8s.io/surge': JSON.stringify(surge) }
  const scaler = { metadata: { ...metadata, annotations: { ...metadata.annotations, ...note } }, spec }
  const world = buildWorkloadWorld('shop', [
    [replicaSets, set],
    [deployments, web],
    [pods, first, second, third],
    [horizontalPodAutoscalers, autoscalerWith(undefined, 'another'), scaler],
    [
      evacuations,
      evacuationOf(first, active),
      evacuationOf(second, { ...active, activeEvacuatorCompleted: true }),
      evacuationOf(third, active),
    ],
  ])
  const turn = { evacuation: evacuationOf(first, active), pod: first, nowMs: 0, signal: new AbortController().signal }
  expect(await horizontalPodAutoscaler.gather(turn, world)).toMatchObject({
    target: { kind: 'Deployment', name: 'web', replicas: 2 },
    autoscaler: scaler,
    pods: [first, second, third],
    turns: new Map([['a-a', { isBlocked: false }]]),
  })
  expect(horizontalPodAutoscaler.workloadOf(first, world)).toBe('web')
})

test('follows what the pod belongs to, and no more', () => {
  const plurals = (pod: Pod) => horizontalPodAutoscaler.follows(pod).map(({ resource }) => resource)
  const rest = [horizontalPodAutoscalers, evacuations]
  expect(plurals(podOf('a'))).toEqual([pods, replicaSets, deployments, ...rest])
  expect(plurals(podOf('a', owned('StatefulSet', 'db', 'db')))).toEqual([pods, statefulSets, ...rest])
})

test('a pod that belongs to nothing any more is passed on', async () => {
  const bare = stored<Pod>({ metadata: { name: 'a', namespace: 'shop', uid: 'a' } })
  const world = buildWorkloadWorld('shop', [])
  const turn = { evacuation: evacuationOf(bare, {}), pod: bare, nowMs: 0, signal: new AbortController().signal }
  const view = await horizontalPodAutoscaler.gather(turn, world)
  expect(horizontalPodAutoscaler.step(view, 0)).toMatchObject({ kind: 'completed' })
})
