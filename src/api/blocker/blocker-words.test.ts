import { expect, test } from 'vitest'
import { words } from './blocker-words.ts'

test('reasons are one word in CamelCase, as conditions have them', () => {
  const reasons = Object.values(words).map(({ reason }) => reason)
  expect(reasons.filter((reason) => !/^([A-Z][a-z]+)+$/.test(reason))).toEqual([])
})

test('a static pod is called so, and a DaemonSet pod where nothing is said', () => {
  const pod = { namespace: 'a', name: 'b', uid: 'u' }
  const of = { pod, kind: 'notUnderMaintenance', node: 'one' } as const
  expect(words.notUnderMaintenance.says({ ...of, podType: 'Static' })).toContain('is a static pod')
  expect(words.notUnderMaintenance.says(of)).toContain('is a DaemonSet pod')
})
