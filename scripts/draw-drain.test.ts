import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drainPictures, drawDrain } from './draw-drain.ts'
import { driftedFiles } from './generated-file.ts'
import { playDrain } from './play-drain.ts'

const drain = await playDrain()

test('docs/images/drain.svg is what the run of today shows', async () => {
  const pictures = drainPictures(join(import.meta.dirname, '..', 'docs'), drain)
  expect(await driftedFiles(pictures)).toEqual([])
  expect(pictures.map(({ content }) => content.length < 30_000)).toEqual([true])
})

test('every pod of a drained node is in the picture, with the pod that takes its place', () => {
  const leaving = drain.pods.filter(({ createdMs, node }) => createdMs === 0 && drain.nodes.includes(node))
  expect(leaving.length).toBeGreaterThanOrEqual(5)
  expect(leaving.every(({ goneMs = Infinity }) => goneMs <= drain.drainedMs)).toBe(true)
  const picture = drawDrain(drain)
  expect(picture.match(/class="name"/g)).toHaveLength(leaving.length)
  expect(picture.match(/class="good"/g)).toHaveLength(leaving.length)
})

test('an application that falls below what it needs is not drawn as one that does not', () => {
  const [first, ...others] = drain.applications
  if (first === undefined) throw new Error('no application')
  const hurt = { ...drain, applications: [{ ...first, lowest: first.wanted - 1 }, ...others] }
  expect(() => drawDrain(hurt)).toThrow(/^checkout had 0 ready pods and needs 1$/)
})
