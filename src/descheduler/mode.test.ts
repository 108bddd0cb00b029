import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import { isEvicted } from './mode.ts'

const plain = podView({ name: 'a' })
const only = podView({ name: 'b', marks: { requestEvictOnly: true } })

test.each([
  { name: 'in mode evict every pod is evicted', mode: 'evict', pod: plain, expected: true },
  { name: 'in mode evacuate a pod gets an Evacuation', mode: 'evacuate', pod: plain, expected: false },
  { name: 'in mode evacuate a pod that asks for evictions is evicted', mode: 'evacuate', pod: only, expected: true },
] as const)('$name', ({ mode, pod, expected }) => {
  expect(isEvicted(mode, pod)).toBe(expected)
})
