import { expect, test } from 'vitest'
import { PluginFailure } from './plugin.ts'

test('what keeps a plugin from its work is told from what is wrong with the program', () => {
  const failure: Error = new PluginFailure('node n1 has no metrics')
  expect(`${failure.name}: ${failure.message}`).toBe('PluginFailure: node n1 has no metrics')
  expect(new Error('x') instanceof PluginFailure).toBe(false)
})
