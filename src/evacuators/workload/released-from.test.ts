import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { stored } from '../../../test/build/stored.ts'
import { parseReleasedFrom, releasedFromOf, renderReleasedFrom } from './released-from.ts'

const from = { hash: 'h', replicaSet: 'web-h', deployment: { name: 'web', uid: 'u' }, atMs: 1_767_225_600_123 }

const podWith = (given: Record<string, string>) => stored<Pod>({ metadata: { namespace: 'shop', annotations: given } })

test('what a pod remembers is read back', () => {
  const value = renderReleasedFrom(from)
  expect(parseReleasedFrom(value)).toEqual(from)
  expect(releasedFromOf(podWith({ [annotations.releasedFrom]: value }))).toEqual(from)
  expect(releasedFromOf(podWith({}))).toBeUndefined()
})

test.each([
  ['nothing', undefined],
  ['no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['another number of fields', JSON.stringify({ hash: 'h' })],
  ['an empty hash', renderReleasedFrom({ ...from, hash: '' })],
  ['a number for a name', JSON.stringify({ ...JSON.parse(renderReleasedFrom(from)), replicaSet: 3 })],
  ['no time', JSON.stringify({ ...JSON.parse(renderReleasedFrom(from)), at: 'yesterday' })],
])('%s is as if it had not been released', (_, value) => {
  expect(parseReleasedFrom(value)).toBeUndefined()
})
