import { afterAll, beforeAll, expect, test } from 'vitest'
import { isContinuousIntegration } from '../continuous-integration.ts'
import { drawCount } from '../draw-count.ts'
import { knownCases } from '../parity/cases/all.ts'
import { drawCase } from '../parity/draw.ts'
import { ParityGround } from '../parity/ground.ts'

// The descheduler of kubernetes-sigs, v0.36.0, and ours read the same policy on the same API server, both in a dry run,
// and name the same pods. A cluster of its own: etcd and an API server, where nothing happens that a case does not say.

let ground: ParityGround
beforeAll(async () => {
  ground = await ParityGround.open()
})
afterAll(() => ground[Symbol.asyncDispose]())

// The ground lets a few run at a time. Those that are measured wait most of their time, so they begin first.
const rows = Object.entries(knownCases)
  .flatMap(([group, cases]) => cases.map((known) => ({ group, name: known.name, known })))
  .toSorted((one, other) => Number(other.known.metrics !== undefined) - Number(one.known.metrics !== undefined))

test.concurrent.each(rows)('as upstream: $group: $name', async ({ known }) => {
  const { upstream, ours, names } = await ground.compare(known)
  expect(ours).toEqual(upstream)
  const { expected } = known
  if (typeof expected === 'number') expect(names).toHaveLength(expected)
  else expect(names).toEqual(expected.toSorted())
})

const blocks = 6
const drawsInBlock = drawCount(300) / blocks
/** The first of all seeds. A failure names the seed of its own case: `drawCase(seed)` draws it again. */
const firstSeed = isContinuousIntegration() ? 20_261_117 : Math.floor(Math.random() * 2 ** 30)

test.each(Array.from({ length: blocks }, (_, index) => firstSeed + index * drawsInBlock))(
  'as upstream: random clusters and policies from seed %i on',
  async (from) => {
    const seeds = Array.from({ length: drawsInBlock }, (_, index) => from + index)
    const results = await Promise.all(
      seeds.map(async (seed) => {
        const drawn = drawCase(seed)
        const { upstream, ours, names } = await ground.compare(drawn)
        const differs = upstream.join() !== ours.join()
        return { count: names.length, wrong: differs ? [{ seed, policy: drawn.policy, upstream, ours }] : [] }
      }),
    )
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([])
    // Draws in which no pod leaves would say little.
    expect(results.filter(({ count }) => count > 0).length).toBeGreaterThan(drawsInBlock / 3)
  },
)
