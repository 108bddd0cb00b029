import { expect, test } from 'vitest'
import { Readiness } from './readiness.ts'

test('it is ready when the last part is there, and says until then what lacks', async () => {
  const readiness = new Readiness(['the cache of pods', 'the webhook'])
  expect(readiness.missing()).toEqual(['the cache of pods: not there yet', 'the webhook: not there yet'])
  readiness.fulfil('the cache of pods')
  readiness.note('the webhook', 'connection refused')
  readiness.note('the cache of pods', 'too late to matter')
  expect(readiness.missing()).toEqual(['the webhook: connection refused'])
  expect(readiness.missing('the webhook')).toEqual([])
  readiness.fulfil('the webhook')
  expect(readiness.missing()).toEqual([])
  await readiness.complete()
})

test('with nothing to wait for it is ready from the start', async () => {
  await new Readiness([]).complete()
})
