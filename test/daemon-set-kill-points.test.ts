import { describe, test } from 'vitest'
import { endsTheSame } from './build/ends-the-same.ts'
import { tellDaemonSetStory } from './stories/tell-daemon-set-story.ts'
import {
  arrangeDaemons,
  drain,
  maintenance,
  reach,
  type DaemonSetScenario,
  type DaemonSetWorld,
} from './scenarios/daemon-set-evacuation.ts'
import { selectHeld, withoutController } from './scenarios/daemon-set-unheld.ts'
import { remove } from './scenarios/maintenance-world.ts'
import { arrangeNodes } from './scenarios/workload-world.ts'

// Lifeboat dies at every write it makes while it takes a DaemonSet pod off its node, at three moments each, and comes
// back knowing nothing. Whether the hold works or not, within two minutes one pod at most is deleted that is not held
// afterwards.

const kinds = ['evacuations', 'pods', 'nodes', 'nodemaintenances']

async function arrangeLogs(world: DaemonSetWorld): Promise<string> {
  const [node = ''] = await arrangeNodes(world, 1)
  await arrangeDaemons(world, 'logs')
  await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
  world.placements.reset()
  return node
}

/** Each pod that came to the node came because the one before was deleted and not held. */
function observeReturns(world: DaemonSetWorld, node: string, most: number): void {
  const came = world.placements.cameTo(node)
  if (came.length > most) throw new Error(`${came.length} pods came back to ${node}`)
  world.observe(`at most ${most} came back`, true)
}

async function ends(world: DaemonSetWorld, node: string, returnsMost: number): Promise<void> {
  // Long enough for two that came back, one after the other, and for the Lease of one that died.
  await world.pass(480_000)
  await reach(world, 'the next one is held', ['logs:1 on NS-0 is held'])
  observeReturns(world, node, returnsMost)
  await remove(world, maintenance)
  await reach(world, 'it is back', ['logs:1 on NS-0 runs'])
}

const stories: readonly DaemonSetScenario[] = [
  {
    name: 'the hold works, unless Lifeboat is dead at that moment',
    run: async (world) => {
      const node = await arrangeLogs(world)
      await drain(world)
      await ends(world, node, 1)
    },
  },
  {
    name: 'the hold works in a dry run alone, until somebody repairs it',
    run: async (world) => {
      const node = await arrangeLogs(world)
      await selectHeld(world, 'objectSelector', withoutController)
      await drain(world)
      await world.pass(100_000)
      observeReturns(world, node, 1)
      await selectHeld(world, 'objectSelector', {})
      // The second one if Lifeboat was dead when it should have held the next pod.
      await ends(world, node, 2)
    },
  },
]

describe('whenever Lifeboat dies, one DaemonSet pod a node is deleted in vain within two minutes, or none', () => {
  test.each(stories)(
    '$name',
    (story) => endsTheSame({ tell: (ground) => tellDaemonSetStory(story, ground, 'shop'), kinds, writesAbove: 5 }),
    300_000,
  )
})
