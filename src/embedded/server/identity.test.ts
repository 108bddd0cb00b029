import { expect, test } from 'vitest'
import { seededRandom } from '../../runtime/random.ts'
import { generatedName, isMissing, randomUid, timestamp } from './identity.ts'

test('a UID has the form of version 4, and no two are the same', () => {
  const random = seededRandom(1).stream('uid')
  const uids = new Set(Array.from({ length: 1_000 }, () => randomUid(random)))
  expect(uids.size).toBe(1_000)
  for (const uid of uids) expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a generated name fits into a label, whatever its base', () => {
  const random = seededRandom(1).stream('name')
  expect(generatedName('web-', random)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  expect(generatedName('x'.repeat(100), random)).toHaveLength(63)
})

test('a name that is empty is as good as none', () => {
  expect([undefined, '', 'a'].map(isMissing)).toEqual([true, true, false])
})

test('a timestamp has whole seconds', () => {
  expect(timestamp(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toBe('2026-01-02T03:04:05Z')
})
