import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { compileWebhooks } from './webhook-configuration.ts'

test('webhooks stay in the order of their configuration, with what is left out filled in', () => {
  const webhooks = [
    { name: 'b', failurePolicy: 'Ignore', matchConditions: [{ name: 'no', expression: 'object == null' }] },
    { name: 'a', timeoutSeconds: 3 },
  ]
  const compiled = compileWebhooks({ metadata: storedMeta({ name: 'x' }), webhooks })
  expect(
    compiled.map(({ name, ignoresFailures, timeoutSeconds }) => ({ name, ignoresFailures, timeoutSeconds })),
  ).toEqual([
    { name: 'b', ignoresFailures: true, timeoutSeconds: 10 },
    { name: 'a', ignoresFailures: false, timeoutSeconds: 3 },
  ])
  expect(compiled[0]?.conditions({ object: () => ({}) })).toEqual({ kind: 'exempt' })
})

test('a configuration without webhooks is nothing', () => {
  expect(compileWebhooks({ metadata: storedMeta({ name: 'x' }) })).toEqual([])
})
