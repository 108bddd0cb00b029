import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { LiveLimits } from './live-limits.ts'

const pods = ['a', 'b', 'c', 'd'].map((name) => podView({ name }))
const evacuationOf = (name: string, metadata: object = {}): Evacuation => ({
  metadata: storedMeta({ namespace: 'default', name: `${name}-uid-${name}`, ...metadata }),
  spec: { podRef: { name, uid: `${name}-uid` }, progressDeadlineSeconds: 1_800 },
})
const limits = { total: 2, perNode: undefined, perNamespace: undefined }
const [first = podView({ name: 'a' })] = pods

test.each([
  { name: 'nothing new', noted: [], expected: undefined },
  { name: 'one of another', noted: [evacuationOf('b')], expected: 'totalLimit' },
  { name: 'one that was there before', noted: [evacuationOf('d')], expected: undefined },
  { name: 'one that is being deleted', noted: [evacuationOf('b', { deletionTimestamp: 'x' })], expected: undefined },
  { name: 'one of a pod that is not in the view', noted: [evacuationOf('z')], expected: undefined },
])('with one on the way, and $name: $expected', ({ noted, expected }) => {
  const live = new LiveLimits(limits, pods, new Set(['d-uid']))
  for (const evacuation of noted) live.note(evacuation)
  expect(live.limitFor(first)).toBe(expected)
})

test('what we asked for ourselves is not counted again when its Evacuation is seen', () => {
  const live = new LiveLimits(limits, pods, new Set())
  live.count(first)
  live.note(evacuationOf('a'))
  expect(live.limitFor(first)).toBeUndefined()
  live.note(evacuationOf('b'))
  expect(live.limitFor(first)).toBe('totalLimit')
})
