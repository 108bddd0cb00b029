import { podsPath } from './lifeboat-world.ts'
import {
  addMachine,
  announce,
  areEvacuated,
  arrangeMachines,
  becomes,
  conditionOf,
  held,
  isReadyMachine,
  label,
  lookAtMaintenance,
  lookAtNode,
  nodePath,
  podIs,
  podsAre,
  put,
  putStatic,
  remains,
  statusOfNode,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { silentLabels } from './troubled-nodes.ts'
import { merge, paths, template } from './workload-world.ts'

// Nodes that come and go during a drain, and what may be on them.

const pool = { labels: { pool: 'old' } }

const evacuating = (count: number) => `cordoned by Lifeboat: Evacuating; 0 pending, ${count} evacuating`
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const allDrained = (nodes: number) =>
  `Drain, held, drained: Drained; ${nodes} of ${nodes} nodes drained; 0 pending, 0 evacuating`
const underWay = (done: number, nodes: number, pods: number) =>
  `Drain, held: Evacuating; ${done} of ${nodes} nodes drained; 0 pending, ${pods} evacuating`

/** By their label, which others may get and lose. */
async function drainPool(world: MaintenanceWorld): Promise<void> {
  await announce(world, 'upgrade', { labelled: { pool: 'old', scenario: 'NS' } })
}

const changes: readonly MaintenanceScenario[] = [
  {
    name: 'a node that joins during the drain is drained too, and one that joins afterwards undoes Drained until it is',
    run: async (world) => {
      await arrangeMachines(world, ['one'], pool)
      await put(world, 'one', 'first', { annotations: held })
      await drainPool(world)
      await becomes(world, 'one node', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      await addMachine(world, 'two', pool)
      await becomes(world, 'the new one is cordoned', {
        nodes: { two: drained },
        maintenances: { upgrade: underWay(1, 2, 1) },
      })
      await isReadyMachine(world, 'two')
      await put(world, 'two', 'second', { annotations: held })
      await becomes(world, 'its pods are evacuated', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 2, 2) },
      })
      await takeAway(world, 'first')
      await takeAway(world, 'second')
      await becomes(world, 'all is drained', { maintenances: { upgrade: allDrained(2) } })
      await addMachine(world, 'three', { labels: { pool: 'new' } })
      await isReadyMachine(world, 'three')
      await put(world, 'three', 'third', { annotations: held })
      await remains(world, 'another node is none of its business', {
        nodes: { three: 'schedulable' },
        maintenances: { upgrade: allDrained(2) },
      })
      await label(world, 'three', { pool: 'old' })
      await becomes(world, 'with the label it is', {
        nodes: { three: evacuating(1) },
        maintenances: { upgrade: underWay(2, 3, 1) },
      })
      await takeAway(world, 'third')
      await becomes(world, 'all is drained again', {
        nodes: { three: drained },
        maintenances: { upgrade: allDrained(3) },
      })
    },
  },
  {
    name: 'a node that loses the label gets its pods back and is schedulable, and starts anew when it gets the label again',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'], pool)
      const first = await put(world, 'one', 'first', { annotations: held })
      await put(world, 'two', 'second', { annotations: held })
      await drainPool(world)
      await areEvacuated(world, 'both are evacuated', ['first', 'second'])
      await label(world, 'one', { pool: null })
      await becomes(world, 'one is out of it', {
        nodes: { one: 'schedulable', two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      await areEvacuated(world, 'one is still evacuated', ['second'])
      const { metadata } = await podIs(world, 'the other stays', 'first', () => true)
      if (metadata.uid !== first.uid || metadata.deletionTimestamp !== undefined) throw new Error('it should stay')
      await label(world, 'one', { pool: 'old' })
      await becomes(world, 'it is in it again', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 2, 2) },
      })
      await areEvacuated(world, 'both are evacuated again', ['first', 'second'])
      await label(world, 'two', { pool: null })
      await takeAway(world, 'first')
      await becomes(world, 'what is left is drained', {
        nodes: { one: drained, two: 'schedulable' },
        maintenances: { upgrade: allDrained(1) },
      })
      await podsAre(world, 'the pod of the node that left stays', ['second'])
    },
  },
  {
    name: 'a node that leaves during the drain does not hold it up',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'], pool)
      await put(world, 'one', 'first', { annotations: held })
      await put(world, 'two', 'second', { annotations: held })
      await drainPool(world)
      await becomes(world, 'both are drained', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 2, 2) },
      })
      await world.arrange('DELETE', nodePath('two'))
      await becomes(world, 'one is left', {
        nodes: { one: evacuating(1), two: 'gone' },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      await takeAway(world, 'first')
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      // As Kubernetes does a minute after the node.
      await takeAway(world, 'second')
      await podsAre(world, 'no pod is left', [])
      await areEvacuated(world, 'no Evacuation is left', [])
    },
  },
  {
    name: 'a node that all maintenances are done with is as any other when it comes back under the same name',
    run: async (world) => {
      await arrangeMachines(world, ['one'], pool)
      await drainPool(world)
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      await world.arrange('DELETE', nodePath('one'))
      await becomes(world, 'no node is left', {
        nodes: { one: 'gone' },
        maintenances: {
          upgrade: 'Drain, held, drained: No node is selected; 0 of 0 nodes drained; 0 pending, 0 evacuating',
        },
      })
      await addMachine(world, 'one', pool)
      await becomes(world, 'the machine was exchanged for a new one, which is cordoned as well', {
        nodes: { one: drained },
        maintenances: { upgrade: allDrained(1) },
      })
    },
  },
]

/** A node whose kubelet is played by the story: neither the simulated one nor the embedded cluster's looks after it. */
const unattended = { labels: silentLabels }

async function say(world: MaintenanceWorld, node: string, status: 'True' | 'False'): Promise<void> {
  const now = new Date(world.nowMs()).toISOString().replace(/\.\d+Z$/, 'Z')
  const condition = {
    type: 'Ready',
    status,
    reason: status === 'True' ? 'KubeletReady' : 'KubeletNotReady',
    message: 'said by the story',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
  await world.arrange('PATCH', `${nodePath(node)}/status`, { status: { conditions: [condition] } }, merge)
}

const notReady: readonly MaintenanceScenario[] = [
  {
    name: 'a node that goes NotReady during the drain: its pods are told to go, it is not drained before they are gone, and the drain ends when it is back',
    run: async (world) => {
      await addMachine(world, 'one', unattended)
      await say(world, 'one', 'True')
      await isReadyMachine(world, 'one')
      await arrangeMachines(world, ['two'])
      await put(world, 'one', 'first', { annotations: held })
      await put(world, 'one', 'second', { annotations: held })
      await put(world, 'two', 'third', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one', 'two'] })
      await becomes(world, 'it is under way', {
        nodes: { one: evacuating(2), two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 2, 3) },
      })
      await say(world, 'one', 'False')
      await world.eventually(
        'the node is tainted',
        () => lookAtNode(world, 'one'),
        (node) => (node?.spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready'),
      )
      await world.arrange('DELETE', `${podsPath}/first`)
      await takeAway(world, 'third')
      await remains(world, 'a pod that nobody ends still counts', {
        nodes: { one: evacuating(2), two: drained },
        maintenances: { upgrade: underWay(1, 2, 2) },
      })
      await put(world, 'one', 'fourth')
      await podIs(
        world,
        'pods are evicted from it',
        'fourth',
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      )
      await say(world, 'one', 'True')
      // Its kubelet ends what was to end.
      await takeAway(world, 'first')
      await takeAway(world, 'fourth')
      await becomes(world, 'it goes on', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(1, 2, 1) },
      })
      await takeAway(world, 'second')
      await becomes(world, 'it is drained', {
        nodes: { one: drained, two: drained },
        maintenances: { upgrade: allDrained(2) },
      })
    },
  },
]

const appearing: readonly MaintenanceScenario[] = [
  {
    name: '"If a new pod appears that matches the previous entries, it will also be evacuated"',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'] })
      await becomes(world, 'it is under way', { nodes: { one: evacuating(1) } })
      await put(world, 'one', 'second', { annotations: held })
      await becomes(world, 'a pod appears', {
        nodes: { one: evacuating(2) },
        maintenances: { upgrade: underWay(0, 1, 2) },
      })
      await takeAway(world, 'first')
      await takeAway(world, 'second')
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      await put(world, 'one', 'third', { annotations: held })
      await becomes(world, 'a pod appears on a drained node', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      world.observe('Drained', conditionOf(await lookAtMaintenance(world, 'upgrade'), 'Drained')?.status)
      await takeAway(world, 'third')
      await becomes(world, 'it is drained again', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      await put(world, 'one', 'fourth')
      await podsAre(world, 'one that nobody holds goes at once', [])
      await becomes(world, 'and it is drained again', {
        nodes: { one: drained },
        maintenances: { upgrade: allDrained(1) },
      })
    },
  },
  {
    name: 'pods that have Succeeded or Failed are taken away like the rest',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'failed', { annotations: { 'lifeboat.test/fails': 'true' } })
      await world.arrange('POST', paths.jobs, {
        metadata: { name: 'work', namespace: 'NS' },
        spec: { template: template(world, { spec: { restartPolicy: 'Never' } }) },
      })
      await podIs(world, 'one has failed', 'failed', ({ status }) => status?.phase === 'Failed')
      await world.eventually(
        'one has succeeded',
        async () => ((await world.read(`${paths.jobs}/work`)).body['status'] ?? {}) as { completionTime?: string },
        ({ completionTime }) => completionTime !== undefined,
      )
      await announce(world, 'upgrade', { nodes: ['one'] })
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      await podsAre(world, 'no pod is left', [])
      await areEvacuated(world, 'no Evacuation is left', [])
      const { status } = (await world.read(`${paths.jobs}/work`)).body as { status: { succeeded?: number } }
      world.observe('the Job is still done', status.succeeded)
    },
  },
  {
    name: 'pods that are ending already have an Evacuation and count until they are gone',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'first', { finalizers: ['example.com/keeper'] })
      await world.arrange('DELETE', `${podsPath}/first`)
      await announce(world, 'upgrade', { nodes: ['one'] })
      await remains(world, 'it counts', { nodes: { one: evacuating(1) }, maintenances: { upgrade: underWay(0, 1, 1) } })
      await areEvacuated(world, 'it is evacuated', ['first'])
      await world.arrange('PATCH', `${podsPath}/first`, { metadata: { finalizers: null } }, merge)
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
    },
  },
]

const empty: readonly MaintenanceScenario[] = [
  {
    name: 'a node without pods is drained at once, and what is drained waits for no other node',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await put(world, 'two', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one', 'two'] })
      await becomes(world, 'one is drained', {
        nodes: { one: drained, two: evacuating(1) },
        maintenances: { upgrade: underWay(1, 2, 1) },
      })
      const waiting = conditionOf(await lookAtMaintenance(world, 'upgrade'), 'Drained')
      world.observe('the condition before', { status: waiting?.status, reason: waiting?.reason })
      await takeAway(world, 'first')
      await becomes(world, 'both are', {
        nodes: { one: drained, two: drained },
        maintenances: { upgrade: allDrained(2) },
      })
      const done = conditionOf(await lookAtMaintenance(world, 'upgrade'), 'Drained')
      world.observe('the condition after', { status: done?.status, reason: done?.reason, message: done?.message })
    },
  },
  {
    name: 'a maintenance that selects no node is drained and says so',
    run: async (world) => {
      await drainPool(world)
      await becomes(world, 'there is nothing to do', {
        maintenances: {
          upgrade: 'Drain, held, drained: No node is selected; 0 of 0 nodes drained; 0 pending, 0 evacuating',
        },
      })
      const condition = conditionOf(await lookAtMaintenance(world, 'upgrade'), 'Drained')
      if (condition?.reason !== 'NoNodes') throw new Error(`the reason is ${condition?.reason}`)
      world.observe('the condition', { status: condition.status, reason: condition.reason, message: condition.message })
    },
  },
  {
    name: 'a node with nothing but static pods is drained, and says that they stay',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const etcd = await putStatic(world, 'one', 'etcd', { spec: { priorityClassName: 'system-node-critical' } })
      await put(world, 'one', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'] })
      await becomes(world, 'it does not count', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      await takeAway(world, 'first')
      await remains(world, 'only it is left', {
        nodes: { one: 'cordoned by Lifeboat: Drained (1 static pod stays); 0 pending, 0 evacuating' },
        maintenances: {
          upgrade: 'Drain, held, drained: Drained (1 static pod stays); 1 of 1 nodes drained; 0 pending, 0 evacuating',
        },
      })
      await areEvacuated(world, 'nobody is evacuated', [])
      await podsAre(world, 'it is there', [etcd])
      const targets = statusOfNode((await lookAtNode(world, 'one')) ?? { metadata: { name: '' }, spec: {} })
      world.observe('targets', targets?.drainTargets)
    },
  },
]

export const nodeScenarios: readonly MaintenanceScenario[] = [...changes, ...notReady, ...appearing, ...empty]
