import fc from 'fast-check'
import { evacuations } from '../../src/api/evacuation/evacuation.ts'
import { story, type Story } from './draw-story.ts'
import { judgeEnd, judgeWrite } from './judge.ts'
import { RandomGround } from './random-ground.ts'
import { arrange, heal, perform } from './tell-story.ts'

const limits = {
  /** What somebody else does at the same moment nobody can know of: caches are a little behind. */
  sameMomentMs: 500,
  actsUntilSeconds: 65,
  quietSeconds: 120,
  convergesWithinSeconds: 1_800,
}

/** Tells a story, and returns what went wrong. */
export async function tell(told: Story): Promise<string[]> {
  const wrong: string[] = []
  let lastActMs = Number.NEGATIVE_INFINITY
  await using ground = await RandomGround.open(told.nodes, (write, at) => {
    const verdict = judgeWrite(write, at, told)
    const isAtOnce = at.clock.nowMs() - lastActMs < limits.sameMomentMs
    return () => {
      if (verdict !== undefined && !isAtOnce) wrong.push(verdict)
    }
  })
  await arrange(ground, told)
  const acts = [...told.acts]
  for (let second = 0; second <= limits.actsUntilSeconds; second++) {
    while (acts[0]?.atSeconds === second) {
      lastActMs = ground.clock.nowMs()
      await perform(ground, acts.shift() as Story['acts'][number], told)
      lastActMs = ground.clock.nowMs()
    }
    await ground.clock.advance(1_000)
  }
  await ground.clock.advance(limits.quietSeconds * 1_000)
  await heal(ground)
  for (let second = 0; second < limits.convergesWithinSeconds; second += 10) {
    await ground.clock.advance(10_000)
    if (ground.list(evacuations).length === 0 && judgeEnd(ground, told).length === 0) break
  }
  return [...wrong, ...judgeEnd(ground, told)]
}

/** Throws with the smallest story that goes wrong, and the seed to draw it again. */
export async function checkStories(options: { readonly runs: number; readonly seed: number }): Promise<void> {
  const property = fc.asyncProperty(story, async (told) => {
    const wrong = await tell(told)
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  })
  await fc.assert(property, { numRuns: options.runs, seed: options.seed, endOnFailure: false })
}
