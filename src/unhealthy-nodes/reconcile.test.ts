import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { RequestOutcome } from '../evacuation-client/request-evacuation.ts'
import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../test/build/lifeboat.ts'
import { noting } from '../../test/build/maintenance.ts'
import { buildKube } from '../../test/build/kube.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import type { New } from '../api/kubernetes/meta.ts'
import { nodes, pods } from '../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { TransportRequest } from '../kube/client/transport.ts'
import type { Next } from '../runtime/work-queue.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { noUnhealthyNodeMetrics } from './metrics.ts'
import { NodeReconciler } from './reconcile.ts'

const evacuation: Evacuation = {
  metadata: storedMeta({ namespace: 'shop', name: 'u-web' }),
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
}

const taint = 'node.kubernetes.io/unreachable'
const noteKey = 'evacuation.coordination.k8s.io/unhealthy'

function buildPod(name: string, seconds: number): New<Pod> {
  return {
    metadata: {
      name,
      namespace: 'default',
      annotations: {
        'kubernetes.io/evict-policy': 'ControllerTakeOver',
        'evacuation.coordination.k8s.io/added-toleration-seconds': '60',
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
    },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'main', image: 'web:1' }],
      tolerations: [{ key: taint, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds + 60 }],
    },
  }
}

/** One node that does not report, and whoever asks for evacuations because of it. */
class Stage {
  readonly events: ClusterEvent[] = []
  readonly asked: string[] = []
  readonly withdrawn: string[] = []
  readonly requests: TransportRequest[] = []
  readonly reconciler: NodeReconciler
  requested: PodRef[] = []
  outcome: RequestOutcome = { kind: 'requested', evacuation }
  node: Node | undefined
  readonly #ground: LifeboatGround
  readonly #signal = new AbortController().signal

  constructor(ground: LifeboatGround, uid: string) {
    this.#ground = ground
    const timeAdded = new Date(ground.clock.nowMs()).toISOString()
    this.node = {
      metadata: storedMeta({ name: 'node-1', uid }),
      spec: { taints: [{ key: taint, effect: 'NoExecute', timeAdded }] },
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    }
    this.reconciler = new NodeReconciler({
      kube: buildKube(noting(this.requests)(ground.adminTransport), ground.clock),
      clock: ground.clock,
      events: { record: (event) => void this.events.push(event) },
      metrics: noUnhealthyNodeMetrics,
      instigator: {
        request: async ({ metadata }) => {
          this.asked.push(metadata.name)
          return this.outcome
        },
        withdraw: async ({ name }) => {
          this.withdrawn.push(name)
          return { kind: 'withdrawn' }
        },
      },
      get: () => this.node,
      requested: () => this.requested,
    })
  }

  reconcile(): Promise<Next> {
    return this.#ground.until(this.reconciler.reconcile('node-1', this.#signal))
  }

  async noted(): Promise<readonly (string | undefined)[]> {
    const { metadata } = await this.#ground.until(this.#ground.admin.get(nodes, { name: 'node-1' }))
    return [metadata.annotations?.[noteKey], metadata.labels?.[noteKey]]
  }
}

async function arrange(ground: LifeboatGround, names: readonly string[] = ['web-1']): Promise<Stage> {
  for (const name of names) await ground.until(ground.admin.create(pods, buildPod(name, 10)))
  const { metadata } = await ground.until(ground.admin.get(nodes, { name: 'node-1' }))
  return new Stage(ground, metadata.uid)
}

const inMs = (ground: LifeboatGround, next: Next) =>
  next.kind === 'again' ? next.atMs - ground.clock.nowMs() : 'never'

test('looks once, notes since when, asks when it is due, once, and tells', async () => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground, ['web-1', 'web-2'])
  expect(inMs(ground, await stage.reconcile())).toBe(10_000)
  expect(stage.asked).toEqual([])
  expect(await stage.noted()).toEqual([expect.stringContaining(taint), 'true'])
  await ground.pass(10_000)
  expect(await stage.reconcile()).toEqual({ kind: 'settled' })
  expect(await stage.reconcile()).toEqual({ kind: 'settled' })
  expect(stage.asked.toSorted()).toEqual(['web-1', 'web-2'])
  expect(stage.events.map(({ reason }) => reason)).toEqual(['ControllersAsked'])
  expect(stage.requests.filter(({ path }) => path === '/api/v1/pods')).toHaveLength(1)
  expect(stage.reconciler.size).toBe(1)
})

test('writes nothing to a node without pods that matter', async () => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground, [])
  expect(await stage.reconcile()).toEqual({ kind: 'settled' })
  expect(stage.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v1/pods'])
  expect(stage.reconciler.size).toBe(0)
})

test('asks again when somebody ended the Evacuation, and not for a pod that is gone', async () => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground)
  const pod = await ground.until(ground.admin.get(pods, { namespace: 'default', name: 'web-1' }))
  const key = `default/${pod.metadata.uid}-web-1`
  await stage.reconcile()
  await ground.pass(10_000)
  await stage.reconcile()
  stage.reconciler.evacuationEnded('node-1', key)
  await stage.reconcile()
  expect(stage.asked).toEqual(['web-1', 'web-1'])
  await ground.until(ground.admin.delete(pods, podRefOf(pod), { gracePeriodSeconds: 0 }))
  stage.reconciler.evacuationEnded('node-1', key)
  await stage.reconcile()
  expect(stage.asked).toHaveLength(2)
})

test.each<{ outcome: RequestOutcome; again: number | 'never'; events: readonly string[] }>([
  { outcome: { kind: 'podGone' }, again: 'never', events: [] },
  { outcome: { kind: 'beingCancelled', evacuation }, again: 1_000, events: [] },
  { outcome: { kind: 'refused', message: 'no' }, again: 30_000, events: ['EvacuationRefused'] },
])('asked and $outcome.kind', async ({ outcome, again, events }) => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground)
  stage.outcome = outcome
  await stage.reconcile()
  await ground.pass(10_000)
  expect(inMs(ground, await stage.reconcile())).toBe(again)
  expect(stage.asked).toEqual(['web-1'])
  expect(stage.events.map(({ reason }) => reason)).toEqual(events)
})

test('the node reports again: withdrawn once, and nothing is left on the node', async () => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground)
  const pod = await ground.until(ground.admin.get(pods, { namespace: 'default', name: 'web-1' }))
  await stage.reconcile()
  stage.requested = [podRefOf(pod)]
  const { metadata } = await ground.until(ground.admin.get(nodes, { name: 'node-1' }))
  stage.node = { metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  stage.reconciler.nodeChanged('node-1')
  expect(await stage.reconcile()).toEqual({ kind: 'settled' })
  expect(stage.withdrawn).toEqual(['web-1'])
  expect(await stage.noted()).toEqual([undefined, undefined])
  expect(stage.reconciler.knows('node-1')).toBe(false)
})

test('a node that another took the place of is left alone', async () => {
  await using ground = await openLifeboatGround({ nodes: 1, controllers: false })
  const stage = await arrange(ground)
  stage.node = { ...stage.node, metadata: storedMeta({ name: 'node-1', uid: 'another' }) }
  expect(await stage.reconcile()).toEqual({ kind: 'settled' })
  expect(await stage.noted()).toEqual([undefined, undefined])
})
