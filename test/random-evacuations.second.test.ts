import { test } from 'vitest'
import { checkStories } from './random/check-stories.ts'

// Random clusters, random evacuations, random meddling: Lifeboat never makes an application worse than its owner and its
// budget allow, everything comes to its end, and nothing is left behind. A failure prints the seed and the smallest story.
// In two files, so that two cores have something to do.

const seed = process.env['CI'] === undefined ? Math.floor(Math.random() * 2 ** 31) : 20261117

test('a thousand random stories end well', async () => {
  await checkStories({ runs: 1_000, seed })
}, 900_000)
