import { test } from 'vitest'
import { drawCount } from './draw-count.ts'
import { checkStories } from './random/check-stories.ts'

// Random clusters, random evacuations, random meddling: Lifeboat never makes an application worse than its owner and its
// budget allow, everything comes to its end, and nothing is left behind. A failure prints the seed and the smallest story.
// Two thousand stories in four files, so that several cores have something to do until the end.

const seed = process.env['CI'] === undefined ? Math.floor(Math.random() * 2 ** 31) : 20261119

test('random stories end well', async () => {
  await checkStories({ runs: drawCount(500), seed })
}, 900_000)
