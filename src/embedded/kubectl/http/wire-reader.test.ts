import { expect, test } from 'vitest'
import { WireReader } from './wire-reader.ts'

test('reads numbers of every length and sign, texts, and nothing at the end', () => {
  // 1: 150, 2: "hi", 3: -1 in ten bytes.
  const reader = new WireReader(
    Uint8Array.of(8, 0x96, 1, 0x12, 2, 0x68, 0x69, 0x18, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1),
  )
  expect(reader.nextTag()).toEqual({ field: 1, wireType: 0 })
  expect(reader.integer()).toBe(150)
  expect(reader.nextTag()).toEqual({ field: 2, wireType: 2 })
  expect(reader.text()).toBe('hi')
  expect(reader.nextTag()).toEqual({ field: 3, wireType: 0 })
  expect(reader.integer()).toBe(-1)
  expect(reader.nextTag()).toBeUndefined()
})

test.each([
  { name: 'a number', bytes: [8, 0x96], wireType: 0 },
  { name: 'eight bytes', bytes: [9, 1, 2], wireType: 1 },
  { name: 'a length', bytes: [10, 200], wireType: 2 },
  { name: 'a text', bytes: [10, 5, 1], wireType: 2 },
  { name: 'four bytes', bytes: [13, 1], wireType: 5 },
  { name: 'an unknown wire type', bytes: [11, 1], wireType: 3 },
  { name: 'an endless number', bytes: [8, ...Array.from({ length: 12 }, () => 0xff)], wireType: 0 },
])('refuses $name that is cut off or wrong', ({ bytes, wireType }) => {
  const reader = new WireReader(Uint8Array.from(bytes))
  expect(reader.nextTag()?.wireType).toBe(wireType)
  expect(() => reader.skip(wireType)).toThrow(RangeError)
})

test('skips whole fields', () => {
  const reader = new WireReader(Uint8Array.of(13, 1, 2, 3, 4, 9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 1, 7, 8, 1))
  for (let tag = reader.nextTag(); tag !== undefined; tag = reader.nextTag()) reader.skip(tag.wireType)
  expect(reader.nextTag()).toBeUndefined()
})
