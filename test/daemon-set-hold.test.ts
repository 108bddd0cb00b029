import { expect, test } from 'vitest'
import { openEmbedded } from './differential/switched-grounds.ts'
import { tellDaemonSetStory } from './differential/tell-daemon-set-story.ts'
import { forgeryScenarios } from './scenarios/daemon-set-forgery.ts'
import { unheldScenarios } from './scenarios/daemon-set-unheld.ts'

// The stories in which a DaemonSet pod could be deleted too often, or another one in its place, in virtual time. The same
// are told to the real cluster in test/differential.

const valueOf = (observed: readonly unknown[], what: string) =>
  (observed as { what: string; value: unknown }[]).filter((each) => each.what === what).map(({ value }) => value)

test.each(unheldScenarios)('$name', async (scenario) => {
  await using embedded = await openEmbedded()
  const observed = await tellDaemonSetStory(scenario, embedded, 'shop')
  const came = ['none came back', 'still none came back', 'one came back', 'still one came back']
  const returns = came.flatMap((what) => valueOf(observed, what).map((value) => [what, value]))
  const expected = (what: unknown) => (String(what).includes('none') ? [] : ['logs:1'])
  expect(returns.length).toBe(2)
  expect(returns).toEqual(returns.map(([what]) => [what, expected(what)]))
})

test.each(forgeryScenarios)('$name', async (scenario) => {
  await using embedded = await openEmbedded()
  const observed = await tellDaemonSetStory(scenario, embedded, 'shop')
  const expected = scenario.name.startsWith('a pod of a DaemonSet') ? 'a deletion' : 'EvictionByEvictionAPI'
  expect(valueOf(observed, 'it goes by')).toEqual([expected])
})
