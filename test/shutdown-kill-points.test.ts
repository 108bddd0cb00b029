import { describe, test } from 'vitest'
import { endsTheSame } from './build/ends-the-same.ts'
import {
  becomes,
  arrangeMachines,
  held,
  podsAre,
  put,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './scenarios/maintenance-world.ts'
import { runMaintenanceScenario } from './scenarios/run-maintenance-scenario.ts'
import {
  fail,
  isTold,
  isCleanedUp,
  nodeSays,
  putOwned,
  say,
  shutdownIs,
  shutdownPath,
} from './scenarios/shutdown-world.ts'
import { merge } from './scenarios/workload-world.ts'

// Lifeboat dies at every write it makes while a machine goes down and comes back, at three moments each, and starts again
// knowing nothing: the story must end the same.

const kinds = ['evacuations', 'pods', 'nodes', 'nodemaintenances', 'leases']
const drained = 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating'
const draining = 'Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, 1 evacuating'

/** Again and again: while Lifeboat takes over from one that died nobody admits it. */
async function completeByHand(world: MaintenanceWorld): Promise<void> {
  const body = { spec: { stage: 'Complete' } }
  await world.eventually(
    'an admin completes it',
    () => world.attempt('PATCH', shutdownPath('one'), body, merge),
    ({ status }) => status === 200,
  )
}

const three: MaintenanceScenario = {
  name: 'three shutdowns: up again, cancelled, and ended by an admin',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'web', { annotations: held })
    await say(world, 'one', { going: { id: 'first' } })
    await shutdownIs(world, 'it is drained', 'one', draining)
    await takeAway(world, 'web')
    await isTold(world, 'it may continue', 'one', 'first')
    await shutdownIs(world, 'the node is drained', 'one', drained)
    await nodeSays(world, 'the machine goes down', 'one', 'True')
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'it is back', 'one', 'nothing')
    await nodeSays(world, 'the machine is up', 'one', 'False')
    await say(world, 'one', { bootID: 'boot-2', going: { id: 'second' } })
    await isTold(world, 'it may continue again', 'one', 'second')
    await say(world, 'one', { bootID: 'boot-2' })
    await shutdownIs(world, 'it is cancelled', 'one', 'Complete, completed')
    await isTold(world, 'nothing may continue', 'one', 'nothing')
    await nodeSays(world, 'the machine stays up', 'one', 'False')
    await becomes(world, 'the node is back', { nodes: { one: 'schedulable' } })
    await say(world, 'one', { bootID: 'boot-2', going: { id: 'third' } })
    await isTold(world, 'it may continue once more', 'one', 'third')
    await completeByHand(world)
    await becomes(world, 'an admin gave it back', { nodes: { one: 'schedulable' } })
    // A drain would take them along; after it only the clean-up does.
    await putOwned(world, 'one', ['left', 'behind'])
    for (const pod of ['left', 'behind']) await fail(world, pod, 'Terminated')
    await say(world, 'one', { bootID: 'boot-3' })
    await podsAre(world, 'what was left is gone', [])
    await isTold(world, 'nothing may continue after all', 'one', 'nothing')
    await isCleanedUp(world, 'one')
  },
}

/** What the agent was told is then all that says that the node may have something to take back. */
const deleted: MaintenanceScenario = {
  name: 'one whose maintenance an admin deletes before the node is drained',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'web', { annotations: held })
    await say(world, 'one', { going: { id: 'first' } })
    await shutdownIs(world, 'it is drained', 'one', draining)
    await nodeSays(world, 'the machine goes down', 'one', 'True')
    await world.eventually(
      'an admin deletes it',
      () => world.attempt('DELETE', shutdownPath('one'), {}),
      ({ status }) => status === 404,
    )
    await isTold(world, 'it may continue', 'one', 'first')
    await becomes(world, 'the node is back', { nodes: { one: 'schedulable' } })
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'nothing may continue', 'one', 'nothing')
    await nodeSays(world, 'the machine is up', 'one', 'False')
    await shutdownIs(world, 'no other was made', 'one', 'gone')
    await podsAre(world, 'what was not drained is still there', ['web'])
  },
}

describe('whenever Lifeboat dies, shutdowns end the same', () => {
  test.each([three, deleted])(
    '$name',
    (story) => endsTheSame({ tell: (ground) => runMaintenanceScenario(story, ground, 'shop'), kinds, writesAbove: 10 }),
    300_000,
  )
})
