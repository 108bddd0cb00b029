import { describe, expect, test } from 'vitest'
import { evacuations } from '../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../src/api/evacuation/evacuation-name.ts'
import { deployments, horizontalPodAutoscalers, nodes, pods } from '../src/api/kubernetes/resources.ts'
import { isReady } from '../src/api/kubernetes/pod-availability.ts'
import { podRefOf } from '../src/api/evacuation/pod-reference.ts'
import type { Transport } from '../src/kube/client/transport.ts'
import { killMomentsAt, neverKilled, storyWrites, type KillPoint } from './build/kill-points.ts'
import { openLifeboatGround, type LifeboatGround, type OpenedManager } from './build/lifeboat.ts'

// Lifeboat dies at every write it makes while an autoscaler covers for a pod, at three moments each, and comes back
// knowing nothing. The autoscaler must end as it was, and the application must not notice.

interface Story {
  readonly name: string
  /** The pod stays, because nobody wants it gone any more. */
  readonly isCancelled: boolean
}

const key = 'evacuation.coordination.k8s.io/surge'
const labels = { app: 'web' }
const web = { namespace: 'default', name: 'web' }
const stepMs = 100

async function arrange(ground: LifeboatGround): Promise<void> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  await ground.until(
    ground.admin.create(horizontalPodAutoscalers, {
      metadata: { ...web, annotations: { 'evacuation.coordination.k8s.io/priority': 'true' } },
      spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 10 },
    }),
  )
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const spec = { replicas: 2, strategy: { type: 'Recreate' as const }, selector: { matchLabels: labels }, template }
  await ground.until(ground.admin.create(deployments, { metadata: web, spec }))
  await ground.pass(10_000)
}

async function tell({ isCancelled }: Story, point: KillPoint) {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await arrange(ground)
  const state = { writes: 0, restarts: 0, readyMin: 2, isDead: false, hasBegun: false }
  const open = (wrap: (transport: Transport) => Transport): Promise<OpenedManager> =>
    ground.open({ wrap, identity: `lifeboat-${state.restarts}` })
  let opened = await open((transport) =>
    storyWrites(transport, point, {
      hasBegun: () => state.hasBegun,
      count: () => void state.writes++,
      died: () => void (state.isDead = true),
    }),
  )
  const pass = async (milliseconds: number) => {
    for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) {
      await ground.pass(stepMs)
      const ready = ground.cluster.store.list('pods').filter((pod) => isReady(pod as never))
      state.readyMin = Math.min(state.readyMin, ready.length)
      if (!state.isDead) continue
      state.isDead = false
      state.restarts++
      opened.kill()
      opened = await open((transport) => transport)
    }
  }
  await ground.until(opened.manager.ready())
  await pass(3_000)
  const [pod] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  if (pod === undefined) throw new Error('there is a pod')
  if (isCancelled) await cordonAll(ground)
  state.hasBegun = true
  await ground.evacuate(pod)
  await pass(20_000)
  if (isCancelled) {
    const patch = { type: 'merge', body: { metadata: { finalizers: [] } } } as const
    const name = evacuationName(podRefOf(pod))
    await ground.until(ground.admin.patch(evacuations, { namespace: 'default', name }, patch))
  }
  await pass(60_000)
  const { metadata, spec } = await ground.until(ground.admin.get(horizontalPodAutoscalers, web))
  return {
    writes: state.writes,
    restarts: state.restarts,
    end: {
      readyMin: state.readyMin,
      minReplicas: spec?.minReplicas,
      label: metadata.labels?.[key],
      note: metadata.annotations?.[key],
      evacuations: ground.evacuationCount(),
      isThere: ground.podNames().includes(pod.metadata.name),
    },
  }
}

async function cordonAll(ground: LifeboatGround): Promise<void> {
  const { items } = await ground.until(ground.admin.list(nodes))
  for (const { metadata } of items) {
    const patch = { type: 'merge', body: { spec: { unschedulable: true } } } as const
    await ground.until(ground.admin.patch(nodes, { name: metadata.name }, patch))
  }
}

const stories: readonly Story[] = [
  { name: 'an evacuation that goes through', isCancelled: false },
  { name: 'an evacuation that is cancelled', isCancelled: true },
]

describe('whenever Lifeboat dies, the autoscaler ends as it was', () => {
  test.each(stories)(
    'in $name',
    async (story) => {
      const { end, writes } = await tell(story, neverKilled)
      const asItWas = { minReplicas: 2, label: undefined, note: undefined, evacuations: 0, readyMin: 2 }
      expect(end).toEqual({ ...asItWas, isThere: story.isCancelled })
      expect(writes).toBeGreaterThan(5)
      for (let write = 1; write <= writes; write++) {
        for (const moment of killMomentsAt(write)) {
          const killed = await tell(story, { write, moment })
          const at = `${moment} ${write}`
          expect({ at, end: killed.end, restarts: killed.restarts }).toEqual({ at, end, restarts: 1 })
        }
      }
    },
    120_000,
  )
})
