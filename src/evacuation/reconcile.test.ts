import { describe, expect, test } from 'vitest'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { nodes, podDisruptionBudgets, pods } from '../api/kubernetes/resources.ts'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'
import { killedAt, killMoments, type KillPoint } from '../../test/build/kill-points.ts'

// The controller dies at every write it makes, at three moments each, and comes back knowing nothing. The end must be
// the one that it comes to without that.

interface Story {
  readonly name: string
  readonly arrange: (ground: EvacuationGround) => Promise<Pod>
  /** What others do meanwhile, in order of time. */
  readonly script: readonly {
    readonly atSeconds: number
    readonly act: (ground: EvacuationGround, pod: Pod) => Promise<unknown>
  }[]
  readonly endSeconds: number
  /** Of the pod and the Evacuation. */
  readonly ends: { readonly pod: 'gone' | 'as it was'; readonly evacuation: 'gone' }
}

const evacuators = [
  { evacuatorClass: 'first.example.com', priority: 11_000 },
  { evacuatorClass: 'second.example.com', priority: 9_000 },
]
const labels = { app: 'web' }
const budget = {
  metadata: { name: 'web', namespace: 'default' },
  spec: { minAvailable: 1, selector: { matchLabels: labels } },
}
/** Owned by something that exists, or the garbage collector would take it. */
async function createOwnedPod(ground: EvacuationGround): Promise<Pod> {
  const { items } = await ground.do(ground.kube.list(nodes))
  const { name = '', uid = '' } = items[0]?.metadata ?? {}
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid, controller: true }
  const metadata = {
    annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver' },
    ownerReferences: [owner],
  }
  return ground.createPod('web', { metadata })
}

const interception = 'eviction.evacuation.coordination.k8s.io'

async function patchEvacuation(ground: EvacuationGround, pod: Pod, metadata: object): Promise<unknown> {
  const name = evacuationName({ name: pod.metadata.name, uid: pod.metadata.uid })
  const key = { namespace: 'default', name }
  return ground.do(ground.kube.patch(evacuations, key, { type: 'merge', body: { metadata } }))
}
const withdraw = (ground: EvacuationGround, pod: Pod) => patchEvacuation(ground, pod, { finalizers: [] })

const stories: readonly Story[] = [
  {
    name: 'a plain pod',
    arrange: async (ground) => {
      const pod = await ground.createPod('web')
      await ground.evacuate(pod)
      return pod
    },
    script: [],
    endSeconds: 60,
    ends: { pod: 'gone', evacuation: 'gone' },
  },
  {
    name: 'two evacuators, of which one completes and one falls silent',
    arrange: async (ground) => {
      const pod = await ground.createPod('web')
      await ground.evacuate(pod, { evacuators, progressDeadlineSeconds: 600 })
      return pod
    },
    script: [{ atSeconds: 30, act: (ground, pod) => ground.setStatus(pod, { activeEvacuatorCompleted: true }) }],
    // After a restart the silence counts from there.
    endSeconds: 1_300,
    ends: { pod: 'gone', evacuation: 'gone' },
  },
  {
    name: 'two evacuators, of which the first reports for next year and falls silent',
    arrange: async (ground) => {
      const pod = await ground.createPod('web')
      await ground.evacuate(pod, { evacuators, progressDeadlineSeconds: 600 })
      return pod
    },
    script: [
      {
        atSeconds: 30,
        act: (ground, pod) => ground.setStatus(pod, { evacuationProgressTimestamp: '2027-01-01T00:00:00Z' }),
      },
    ],
    endSeconds: 2_700,
    ends: { pod: 'gone', evacuation: 'gone' },
  },
  {
    name: 'a budget that is relaxed',
    arrange: async (ground) => {
      const pod = await ground.createPod('web')
      await ground.do(ground.kube.create(podDisruptionBudgets, budget))
      await ground.pass(3)
      await ground.evacuate(pod)
      return pod
    },
    script: [
      {
        atSeconds: 20,
        act: (ground) => ground.do(ground.kube.delete(podDisruptionBudgets, { namespace: 'default', name: 'web' })),
      },
    ],
    endSeconds: 80,
    ends: { pod: 'gone', evacuation: 'gone' },
  },
  {
    name: 'a controller that does not take over in time',
    arrange: async (ground) => {
      const pod = await createOwnedPod(ground)
      await ground.evacuate(pod)
      return pod
    },
    script: [],
    endSeconds: 140,
    ends: { pod: 'gone', evacuation: 'gone' },
  },
  {
    name: 'a controller was asked, and the evacuation is withdrawn',
    arrange: async (ground) => {
      const pod = await createOwnedPod(ground)
      await ground.evacuate(pod)
      return pod
    },
    script: [{ atSeconds: 30, act: withdraw }],
    endSeconds: 60,
    ends: { pod: 'as it was', evacuation: 'gone' },
  },
  {
    name: 'an eviction request that nobody repeats',
    arrange: async (ground) => {
      const pod = await ground.createPod('web')
      const mark = { metadata: { annotations: { 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'lifeboat' } } }
      const key = { namespace: 'default', name: 'web' }
      await ground.do(ground.kube.patch(pods, key, { type: 'merge', body: mark }))
      await ground.evacuate(pod, { evacuators }, [interception])
      const asked = {
        'evacuation.coordination.k8s.io/eviction-requested-at': new Date(ground.clock.nowMs()).toISOString(),
      }
      await patchEvacuation(ground, pod, { annotations: asked })
      return pod
    },
    script: [],
    endSeconds: 1_860,
    ends: { pod: 'as it was', evacuation: 'gone' },
  },
]

async function tell(story: Story, point: KillPoint): Promise<{ end: object; writes: number; restarts: number }> {
  await using ground = await EvacuationGround.open({ nodes: 1, started: false })
  let restarts = 0
  let isDead = false
  await ground.start((transport) => killedAt(transport, point, () => (isDead = true)))
  const revive = async () => {
    if (!isDead) return
    isDead = false
    restarts++
    await ground.stop()
    await ground.start()
  }
  const pod = await story.arrange(ground)
  const script = [...story.script]
  for (let second = 0; second <= story.endSeconds; second++) {
    await revive()
    if (script[0]?.atSeconds === second) await script.shift()?.act(ground, pod)
    await ground.clock.advance(1_000)
  }
  const left = await ground.podNamed('web')
  const end = {
    pod:
      left === undefined
        ? 'gone'
        : { annotations: left.metadata.annotations ?? {}, isGoing: left.metadata.deletionTimestamp },
    evacuation: (await ground.evacuationOf(pod)) ?? 'gone',
  }
  return { end, writes: ground.writes.length, restarts }
}

const never: KillPoint = { write: 0, moment: 'before' }

describe.each(stories)('killed at every write: $name', (story) => {
  test('comes to the same end', async () => {
    const { end, writes } = await tell(story, never)
    const podEnds = story.ends.pod === 'gone' ? 'gone' : { isGoing: undefined }
    expect(end).toMatchObject({ ...story.ends, pod: podEnds })
    expect(writes).toBeGreaterThan(1)
    for (let write = 1; write <= writes; write++) {
      for (const moment of killMoments) {
        const killed = await tell(story, { write, moment })
        expect({ at: `${moment} ${write}`, ...killed }).toMatchObject({ at: `${moment} ${write}`, end, restarts: 1 })
      }
    }
  }, 60_000)
})
