import { describe, expect, test } from 'vitest'
import { killMomentsAt, neverKilled, type KillPoint } from './build/kill-points.ts'
import { openMortalLifeboat } from './build/mortal-lifeboat.ts'
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
const nobody = async () => {
  throw new Error('in these stories Lifeboat dies by itself')
}

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

async function tell(scenario: DaemonSetScenario, point: KillPoint) {
  const { ground, state } = await openMortalLifeboat(point, kinds)
  try {
    const told = { ...ground, lifeboat: { kill: nobody, start: nobody, uninstall: nobody } }
    return { at: ground.name, observed: await tellDaemonSetStory(scenario, told, 'shop'), state }
  } catch (error) {
    throw new Error(`${ground.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await ground[Symbol.asyncDispose]()
  }
}

describe('whenever Lifeboat dies, one DaemonSet pod a node is deleted in vain within two minutes, or none', () => {
  test.each(stories)(
    '$name',
    async (story) => {
      const alive = await tell(story, neverKilled)
      expect(alive.state.writes).toBeGreaterThan(5)
      for (let write = 1; write <= alive.state.writes; write++) {
        for (const moment of killMomentsAt(write)) {
          const { at, observed, state } = await tell(story, { write, moment })
          expect({ at, observed }).toEqual({ at, observed: alive.observed })
          expect(state.restarts).toBeLessThanOrEqual(1)
        }
      }
    },
    300_000,
  )
})
