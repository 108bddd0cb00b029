import { describe, test } from 'vitest'
import { endsTheSame, type MortalGround } from './build/ends-the-same.ts'
import { fallSilent, reportAgain } from './scenarios/troubled-nodes.ts'
import {
  areInProgress,
  areReplaced,
  arrangeSet,
  arrangeZone,
  nothingIsLeft,
  openAll,
  type UnhealthyScenario,
} from './scenarios/unhealthy-nodes.ts'
import { podsOf } from './scenarios/workload-world.ts'
import { tellUnhealthyStory } from './stories/tell-unhealthy-story.ts'

// Lifeboat dies at every write it makes because a node does not report, and starts again knowing nothing: the story must
// end the same.

const kinds = ['evacuations', 'pods', 'nodes']

const replaced: UnhealthyScenario = {
  name: 'three pods of a dead node, one at a time',
  run: async (world) => {
    const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
    await arrangeSet(world, { strategy: '{"maxUnavailable":1}', timeout: '10m' })
    await openAll(world, others)
    await fallSilent(world, node)
    await areReplaced(world, [node], 3)
    areInProgress(world, 3, 1)
    await reportAgain(world, node)
    await nothingIsLeft(world, [node], 3)
  },
}

const recovered: UnhealthyScenario = {
  name: 'a node that reports again after the marks',
  run: async (world) => {
    const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
    const pods = await arrangeSet(world, { timeout: '10m' })
    await openAll(world, others)
    await fallSilent(world, node)
    await world.eventually(
      'all are marked',
      () => podsOf(world),
      (found) => found.every((pod) => JSON.stringify(pod).includes('pod-evict-wanted')),
    )
    await reportAgain(world, node)
    await nothingIsLeft(world, [node], 3)
    const now = new Set((await podsOf(world)).map(({ metadata }) => metadata.uid))
    world.observe('still there', pods.filter(({ metadata }) => now.has(metadata.uid)).length)
  },
}

describe('whenever Lifeboat dies, pods of dead nodes end the same', () => {
  test.each([replaced, recovered])(
    '$name',
    (story) =>
      endsTheSame({
        tell: (ground: MortalGround) => tellUnhealthyStory(story, ground, 'shop'),
        kinds,
        writesAbove: 10,
      }),
    300_000,
  )
})
