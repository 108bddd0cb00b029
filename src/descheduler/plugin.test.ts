import { expect, test } from 'vitest'
import { atOnce, breath, PluginFailure, type InBreaths } from './plugin.ts'

test('what keeps a plugin from its work is told from what is wrong with the program', () => {
  const failure: Error = new PluginFailure('node n1 has no metrics')
  expect(`${failure.name}: ${failure.message}`).toBe('PluginFailure: node n1 has no metrics')
  expect(new Error('x') instanceof PluginFailure).toBe(false)
})

test('work in breaths can be done at once', () => {
  const done: string[] = []
  const work = function* (): InBreaths<number> {
    done.push('begun')
    yield breath
    yield breath
    return done.push('ended')
  }
  expect(atOnce(work())).toBe(2)
})
