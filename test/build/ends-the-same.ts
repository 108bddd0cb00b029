import { expect } from 'vitest'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { killMomentsAt, neverKilled, type KillPoint } from './kill-points.ts'
import { openMortalLifeboat } from './mortal-lifeboat.ts'

/** A ground whose Lifeboat dies by itself: the story has no say in it. */
export type MortalGround = LifeboatGround & {
  readonly lifeboat: Readonly<Record<'kill' | 'start' | 'uninstall', () => Promise<never>>>
}

export interface KilledStory {
  readonly tell: (ground: MortalGround) => Promise<unknown>
  /** Writes to these are the story's. */
  readonly kinds: readonly string[]
  /** A story with fewer shows nothing. */
  readonly writesAbove: number
}

/**
 * Tells a story with a Lifeboat that lives, and then once for each of its writes with one that dies there and another
 * that takes over and knows nothing: it must end the same.
 */
export async function endsTheSame(story: KilledStory): Promise<void> {
  const alive = await tellAt(story, neverKilled)
  expect(alive.state.writes).toBeGreaterThan(story.writesAbove)
  for (let write = 1; write <= alive.state.writes; write++) {
    for (const moment of killMomentsAt(write)) {
      const { at, observed, state } = await tellAt(story, { write, moment })
      expect({ at, observed }).toEqual({ at, observed: alive.observed })
      expect(state.restarts).toBeLessThanOrEqual(1)
    }
  }
}

async function tellAt({ tell, kinds }: KilledStory, point: KillPoint) {
  const { ground, state } = await openMortalLifeboat(point, kinds)
  try {
    const lifeboat = { kill: nobody, start: nobody, uninstall: nobody }
    return { at: ground.name, observed: await tell({ ...ground, lifeboat }), state }
  } catch (error) {
    throw new Error(`${ground.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await ground[Symbol.asyncDispose]()
  }
}

async function nobody(): Promise<never> {
  throw new Error('in these stories Lifeboat dies by itself')
}
