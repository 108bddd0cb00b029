import fc from 'fast-check'
import { test } from 'vitest'
import { maintenanceStory } from './random/draw-maintenances.ts'
import { tellMaintenances } from './random/tell-maintenances.ts'

// Random maintenances of random nodes, changed and ended at random moments, by a Lifeboat that is behind and sometimes
// dies: nothing is left behind, nobody is hurt who was not drained, and everything can be drained afterwards.

test('a hundred random stories about maintenances end well', async () => {
  const property = fc.asyncProperty(maintenanceStory, async (story) => {
    const wrong = await tellMaintenances(story)
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  })
  await fc.assert(property, { numRuns: 100 })
}, 600_000)
