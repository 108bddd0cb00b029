import {
  arrangeMachines,
  becomes,
  held,
  isSaidOnce,
  nodePath,
  podsAre,
  put,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import {
  boots,
  fail,
  isNotTold,
  isTold,
  isCleanedUp,
  lookAtShutdown,
  nodeSays,
  otherConditions,
  putOwned,
  say,
  shutdownIs,
  shutdownPath,
} from './shutdown-world.ts'
import { merge } from './workload-world.ts'

// Machines that go down: KEP-4212, Graceful Node Shutdown. The agents on the nodes are played.

const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const isDrained = 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating'
const isDraining = 'Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, 1 evacuating'
const first = { id: 'first' }

/** A machine that was drained because it goes down, and may continue. */
async function goDown(world: MaintenanceWorld): Promise<void> {
  await arrangeMachines(world, ['one'])
  await boots(world, 'one', 'boot-1')
  await say(world, 'one', { going: first })
  await isTold(world, 'the machine may go down', 'one', 'first')
  await shutdownIs(world, 'it is drained', 'one', isDrained)
}

async function complete(world: MaintenanceWorld): Promise<void> {
  await world.arrange('PATCH', shutdownPath('one'), { spec: { stage: 'Complete' } }, merge)
}

const signal: MaintenanceScenario = {
  name: '"When a shutdown is detected, the kubelet would create a NodeMaintenance object for that node": signal, drained, may continue',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'web', { annotations: held })
    const before = await otherConditions(world, 'one')
    await say(world, 'one', {})
    await say(world, 'one', { going: first })
    await shutdownIs(world, 'its node is drained', 'one', isDraining)
    await nodeSays(world, 'the node says so', 'one', 'True')
    await isSaidOnce(world, 'Node', 'one', 'ShutdownHeld')
    await world.pass(2_500)
    await isNotTold(world, 'one')
    await takeAway(world, 'web')
    await isTold(world, 'the machine may go down', 'one', 'first')
    await shutdownIs(world, 'it is drained', 'one', isDrained)
    await isSaidOnce(world, 'Node', 'one', 'ShutdownLetGo')
    if ((await otherConditions(world, 'one')) !== before) throw new Error('other conditions of the node were written')
    world.observe('other conditions are as they were', true)
  },
}

const cancelled: MaintenanceScenario = {
  name: 'a shutdown that is cancelled: its maintenance is completed, and the node schedulable again',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'web', { annotations: held })
    await say(world, 'one', { going: { ...first, phase: 'Scheduled', at: '2030-01-01T00:00:00Z' } })
    await shutdownIs(world, 'its node is drained', 'one', isDraining)
    await nodeSays(world, 'it is only planned', 'one', 'nothing')
    await say(world, 'one', { going: first })
    await nodeSays(world, 'it begins', 'one', 'True')
    await say(world, 'one', {})
    await shutdownIs(world, 'it is over', 'one', 'Complete, completed')
    await nodeSays(world, 'and the node says so', 'one', 'False')
    await becomes(world, 'it takes pods again', { nodes: { one: 'schedulable' } })
    await isNotTold(world, 'one')
    await isSaidOnce(world, 'Node', 'one', 'ShutdownCancelled')
    await podsAre(world, 'the pod is still there', ['web'])
  },
}

const byHand: MaintenanceScenario = {
  name: '"The cluster admin would have to remove the NodeMaintenance object after the node restart": and does',
  run: async (world) => {
    await goDown(world)
    await boots(world, 'one', 'boot-2')
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'nothing is on its way any more', 'one', 'nothing')
    await nodeSays(world, 'the node says so', 'one', 'False')
    await world.pass(2_500)
    await shutdownIs(world, 'it is left to the admin', 'one', isDrained)
    await becomes(world, 'the node, too', { nodes: { one: drained } })
    await world.arrange('DELETE', shutdownPath('one'))
    await shutdownIs(world, 'it goes', 'one', 'gone')
    await becomes(world, 'the node takes pods again', { nodes: { one: 'schedulable' } })
  },
}

const byItself: MaintenanceScenario = {
  name: 'with completeAfterReboot it is completed when the machine is back, and not before its kubelet says so',
  ownCluster: true,
  run: async (world) => {
    await world.lifeboat.kill()
    await world.lifeboat.start([], { completeAfterReboot: true })
    await goDown(world)
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'nothing is on its way any more', 'one', 'nothing')
    await world.pass(2_500)
    await shutdownIs(world, 'the kubelet has not said anything yet', 'one', isDrained)
    await boots(world, 'one', 'boot-2')
    await shutdownIs(world, 'it is over', 'one', 'Complete, completed')
    await becomes(world, 'it takes pods again', { nodes: { one: 'schedulable' } })
    await isSaidOnce(world, 'Node', 'one', 'ShutdownOver')
  },
}

const leftovers: MaintenanceScenario = {
  name: 'pods that the kubelet ended for the shutdown and left behind are removed when the node is given back',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'bare', { annotations: held })
    await putOwned(world, 'one', ['ended', 'refused', 'evicted'])
    await say(world, 'one', { going: first })
    await shutdownIs(world, 'it waits', 'one', 'Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, 4 evacuating')
    await complete(world)
    await isTold(world, 'an admin does not wait for the drain', 'one', 'first')
    await fail(world, 'ended', 'Terminated')
    await fail(world, 'refused', 'NodeShutdown')
    await fail(world, 'evicted', 'Evicted')
    await fail(world, 'bare', 'Terminated')
    await world.pass(2_500)
    await podsAre(world, 'the machine is still down', ['ended', 'refused', 'evicted', 'bare'])
    await say(world, 'one', { bootID: 'boot-2' })
    await podsAre(world, 'it is back', ['evicted', 'bare'])
    await isCleanedUp(world, 'one')
  },
}

const goneForGood: MaintenanceScenario = {
  name: 'a machine that is gone for good takes its maintenance along with its node',
  run: async (world) => {
    await goDown(world)
    await world.arrange('DELETE', nodePath('one'))
    await shutdownIs(world, 'the node is deleted', 'one', 'gone')
  },
}

const again: MaintenanceScenario = {
  name: 'a second shutdown of the same node: after an admin completed the first one, and when nobody did',
  run: async (world) => {
    await goDown(world)
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'it is back', 'one', 'nothing')
    await complete(world)
    await shutdownIs(world, 'the admin gives it back', 'one', 'Complete, completed')
    const before = (await lookAtShutdown(world, 'one'))?.metadata.uid
    await put(world, 'one', 'web', { annotations: held })
    await say(world, 'one', { bootID: 'boot-2', going: { id: 'second' } })
    await shutdownIs(world, 'it is drained anew', 'one', isDraining)
    const second = (await lookAtShutdown(world, 'one'))?.metadata.uid
    if (second === before) throw new Error('it is the maintenance of the first shutdown')
    await takeAway(world, 'web')
    await isTold(world, 'the second one may continue', 'one', 'second')
    await say(world, 'one', { bootID: 'boot-3' })
    await isTold(world, 'it is back again', 'one', 'nothing')
    await say(world, 'one', { bootID: 'boot-3', going: { id: 'third' } })
    await isTold(world, 'the third one may continue', 'one', 'third')
    if ((await lookAtShutdown(world, 'one'))?.metadata.uid !== second) throw new Error('it was not taken over')
    world.observe('what nobody completed is taken over', true)
  },
}

export const shutdownScenarios: readonly MaintenanceScenario[] = [
  signal,
  cancelled,
  byHand,
  byItself,
  leftovers,
  goneForGood,
  again,
]
