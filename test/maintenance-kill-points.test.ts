import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../src/api/kubernetes/core.ts'
import { deployments, nodes, pods } from '../src/api/kubernetes/resources.ts'
import { nodeMaintenances } from '../src/api/node-maintenance.ts'
import { isReady } from '../src/api/pod-availability.ts'
import type { Transport } from '../src/kube/transport.ts'
import { killMoments, neverKilled, storyWrites, type KillPoint } from './build/kill-points.ts'
import { openLifeboatGround, type LifeboatGround, type OpenedManager } from './build/lifeboat.ts'

// Lifeboat dies at every write it makes while a node is maintained, at three moments each, and comes back knowing
// nothing. The node must end as it was, and the application must not notice.

interface Story {
  readonly name: string
  /** How the maintenance ends. */
  readonly end: 'complete' | 'delete'
  /** Something on the node does not leave: it ends in the middle of the drain. */
  readonly isStuck: boolean
}

const stepMs = 100
const maintained = 'node-1'
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: `${app}:1` }] },
})

async function arrange(ground: LifeboatGround, { isStuck }: Story): Promise<void> {
  const web = { selector: { matchLabels: { app: 'web' } }, template: template('web') }
  await ground.until(
    ground.admin.create(deployments, {
      metadata: { namespace: 'default', name: 'web' },
      spec: { replicas: 2, ...web },
    }),
  )
  const logs = {
    metadata: { name: 'logs' },
    spec: { selector: { matchLabels: { app: 'logs' } }, template: template('logs') },
  }
  const path = '/apis/apps/v1/namespaces/default/daemonsets'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body: logs }))
  const annotations = { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' }
  if (isStuck) {
    const spec = { ...template('vm').spec, nodeName: maintained }
    await ground.until(ground.admin.create(pods, { metadata: { namespace: 'default', name: 'vm', annotations }, spec }))
  }
  await ground.pass(10_000)
}

const podsOf = (ground: LifeboatGround) => ground.cluster.store.list('pods') as unknown as Pod[]
const readyOf = (ground: LifeboatGround, app: string) =>
  podsOf(ground).filter((pod) => pod.metadata.labels?.['app'] === app && isReady(pod)).length

async function tell(story: Story, point: KillPoint) {
  await using ground = await openLifeboatGround({ nodes: 3 })
  await arrange(ground, story)
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
      state.readyMin = Math.min(state.readyMin, readyOf(ground, 'web'))
      if (!state.isDead) continue
      state.isDead = false
      state.restarts++
      opened.kill()
      opened = await open((transport) => transport)
    }
  }
  await ground.until(opened.manager.ready())
  await pass(3_000)
  state.hasBegun = true
  const nodeSelectorTerms = [
    { matchFields: [{ key: 'metadata.name' as const, operator: 'In' as const, values: [maintained] }] },
  ]
  const spec = { nodeSelector: { nodeSelectorTerms }, stage: 'Drain' as const }
  await ground.until(ground.admin.create(nodeMaintenances, { metadata: { name: 'upgrade' }, spec }))
  await pass(40_000)
  const left = podsOf(ground).filter((pod) => pod.spec?.nodeName === maintained)
  const body = { spec: { stage: 'Complete' } }
  await ground.until<unknown>(
    story.end === 'complete'
      ? ground.admin.patch(nodeMaintenances, { name: 'upgrade' }, { type: 'merge', body })
      : ground.admin.delete(nodeMaintenances, { name: 'upgrade' }),
  )
  await pass(60_000)
  const node = await ground.until(ground.admin.get(nodes, { name: maintained }))
  const maintenances = (await ground.until(ground.admin.list(nodeMaintenances))).items
  return {
    writes: state.writes,
    restarts: state.restarts,
    end: {
      left: left.map(({ metadata }) => metadata.labels?.['app'] ?? metadata.name),
      readyMin: state.readyMin,
      node: summary(node),
      logs: readyOf(ground, 'logs'),
      isThere: ground.podNames().includes('vm'),
      evacuations: ground.evacuationCount(),
      maintenances: maintenances.map(({ metadata, status }) => ({
        finalizers: metadata.finalizers ?? [],
        stages: status?.stageStatuses?.map(({ name }) => name),
        conditions: status?.conditions?.map(({ type, status: value }) => `${type}=${value}`),
      })),
    },
  }
}

function summary({ metadata, spec }: Node): object {
  const marks = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('nodemaintenance.k8s.io'))
  return { marks, unschedulable: spec?.unschedulable ?? false }
}

const stories: readonly Story[] = [
  { name: 'a maintenance that is completed', end: 'complete', isStuck: false },
  { name: 'a maintenance that is deleted in the middle of the drain', end: 'delete', isStuck: true },
]

describe('whenever Lifeboat dies, the node ends as it was', () => {
  test.each(stories)(
    'in $name',
    async (story) => {
      const { end, writes } = await tell(story, neverKilled)
      expect(end).toEqual({
        left: story.isStuck ? ['logs', 'vm'] : [],
        readyMin: 2,
        node: { marks: [], unschedulable: false },
        logs: 3,
        isThere: story.isStuck,
        evacuations: 0,
        maintenances:
          story.end === 'delete'
            ? []
            : [{ finalizers: [], stages: ['Drain', 'Complete'], conditions: ['Completed=True', 'Drained=True'] }],
      })
      expect(writes).toBeGreaterThan(15)
      for (let write = 1; write <= writes; write++) {
        for (const moment of killMoments) {
          const killed = await tell(story, { write, moment })
          const at = `${moment} ${write}`
          expect({ at, end: killed.end, restarts: killed.restarts }).toEqual({ at, end, restarts: 1 })
        }
      }
    },
    300_000,
  )
})
