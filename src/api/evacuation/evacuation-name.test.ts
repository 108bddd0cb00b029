import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evacuationName } from './evacuation-name.ts'

const uid = 'f5823a89-e03f-4752-b013-445643b8c7a0'

describe('evacuationName', () => {
  test.each([
    { name: 'a short pod name is there as a whole', pod: 'cart-7', expected: `${uid}-cart-7` },
    { name: '150 characters are', pod: 'a'.repeat(150), expected: `${uid}-${'a'.repeat(150)}` },
    { name: '151 characters are cut', pod: `${'a'.repeat(150)}b`, expected: `${uid}-${'a'.repeat(150)}` },
    { name: 'a cut never ends in a dash', pod: `${'a'.repeat(148)}--b`, expected: `${uid}-${'a'.repeat(148)}` },
    { name: 'a cut never ends in a dot', pod: `${'a'.repeat(149)}.b`, expected: `${uid}-${'a'.repeat(149)}` },
  ])('$name', ({ pod, expected }) => {
    expect(evacuationName({ uid, name: pod })).toBe(expected)
  })

  test('is a DNS subdomain, like every name in Kubernetes, for every pod', () => {
    const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/)
    const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.').slice(0, 253))
    fc.assert(
      fc.property(name, (pod) => {
        fc.pre(/[a-z0-9]$/.test(pod))
        expect(evacuationName({ uid, name: pod })).toMatch(/^[a-z0-9]([-a-z0-9.]{0,184}[a-z0-9])$/)
      }),
    )
  })
})
