import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  acceptedSecrets,
  buildSecretPath,
  concealSecrets,
  matchSecretPath,
  parsePathSecrets,
  pathSecretLimits,
  renderPathSecrets,
  secretInUse,
  withNewSecret,
  type PathSecrets,
} from './path-secret.ts'

const hourMs = 60 * 60 * 1_000
const startMs = Date.UTC(2026, 0, 1)
const secretOf = (letter: string) => letter.repeat(64)
const [a, b, c] = ['a', 'b', 'c'].map(secretOf) as [string, string, string]

describe('of the secrets', () => {
  const one = [{ secret: a, madeMs: startMs }]
  const two = [{ secret: b, madeMs: startMs + 100 * hourMs }, ...one]
  const three = [{ secret: c, madeMs: startMs + 110 * hourMs }, ...two]
  test.each<{ name: string; secrets: PathSecrets; hours: number; inUse: string; accepted: string[] }>([
    { name: 'the first is used at once', secrets: one, hours: 0, inUse: a, accepted: [a] },
    { name: 'the only one is used for ever', secrets: one, hours: 10_000, inUse: a, accepted: [a] },
    { name: 'a new one is let in before it is used', secrets: two, hours: 100, inUse: a, accepted: [b, a] },
    { name: 'a new one is not used within its first hour', secrets: two, hours: 100.999, inUse: a, accepted: [b, a] },
    { name: 'a new one is used after an hour', secrets: two, hours: 101, inUse: b, accepted: [b, a] },
    { name: 'a former one is let in for a day', secrets: two, hours: 124.999, inUse: b, accepted: [b, a] },
    { name: 'a former one is turned away after that', secrets: two, hours: 125, inUse: b, accepted: [b] },
    { name: 'two former ones can be let in', secrets: three, hours: 111, inUse: c, accepted: [c, b, a] },
    { name: 'each former one has its own day', secrets: three, hours: 125, inUse: c, accepted: [c, b] },
  ])('$name', ({ secrets, hours, inUse, accepted }) => {
    const nowMs = startMs + hours * hourMs
    expect(secretInUse(secrets, nowMs)).toBe(inUse)
    expect(acceptedSecrets(secrets, nowMs)).toEqual(accepted)
  })

  test('a new one has 32 random bytes, and no two are the same', () => {
    const made = Array.from({ length: 100 }, () => withNewSecret([], startMs)[0]?.secret ?? '')
    expect(new Set(made).size).toBe(100)
    expect(made.filter((secret) => !/^[0-9a-f]{64}$/.test(secret))).toEqual([])
  })

  test('none is made while the newest is not in use yet: the one that all replicas know would be crowded out', () => {
    expect(withNewSecret(two, startMs + 100.5 * hourMs)).toBe(two)
    expect(withNewSecret(two, startMs + 101 * hourMs)).toHaveLength(3)
  })

  test('whenever they are renewed, each replica lets in what any other puts into the configurations', () => {
    const { knownMs, formerMs, keptMax } = pathSecretLimits
    // Steps of up to two hours: a renewal, or only time that passes. Replicas look every 5 minutes.
    const steps = fc.array(fc.record({ passMs: fc.integer({ min: 0, max: 2 * hourMs }), renews: fc.boolean() }))
    const lookMs = 5 * 60 * 1_000
    fc.assert(
      fc.property(steps, (taken) => {
        let nowMs = startMs
        let secrets = withNewSecret([], nowMs)
        for (const { passMs, renews } of taken) {
          nowMs += passMs
          const before = secrets
          if (renews) secrets = withNewSecret(secrets, nowMs)
          expect(secrets.length).toBeLessThanOrEqual(keptMax)
          // One replica has read the renewal, the other reads it at its next look.
          for (const atMs of [nowMs, nowMs + lookMs]) {
            expect(acceptedSecrets(before, atMs)).toContain(secretInUse(secrets, atMs))
            expect(acceptedSecrets(secrets, atMs)).toContain(secretInUse(before, atMs))
          }
        }
        expect(acceptedSecrets(secrets, nowMs + knownMs + formerMs)).toHaveLength(1)
      }),
    )
  })
})

describe('stored', () => {
  const stored = [
    { secret: b, madeMs: startMs + hourMs },
    { secret: a, madeMs: startMs },
  ]

  test('they are lines with the time that each was made', () => {
    expect(renderPathSecrets(stored)).toBe(`2026-01-01T01:00:00.000Z ${b}\n2026-01-01T00:00:00.000Z ${a}\n`)
    expect(parsePathSecrets(renderPathSecrets(stored))).toEqual(stored)
  })

  test.each(['', 'x', `soon ${a}`, `2026-01-01T00:00:00.000Z ${a}a`, `2026-01-01T00:00:00.000Z ${a.slice(1)}`])(
    'a line that is none is left out: %s',
    (line) => {
      expect(parsePathSecrets(line)).toEqual([])
      expect(parsePathSecrets(`${line}\n${renderPathSecrets(stored)}`)).toEqual(stored)
    },
  )
})

describe('a path', () => {
  const right = buildSecretPath(a, '/evacuations/mutate')

  test.each([
    { name: 'with the secret', sent: right, expected: '/evacuations/mutate' },
    { name: 'with another that is let in', sent: buildSecretPath(b, '/x'), expected: '/x' },
    { name: 'with the secret and no webhook', sent: buildSecretPath(a, ''), expected: '' },
    { name: 'that is plain', sent: '/evacuations/mutate' },
    { name: 'that is empty', sent: '' },
    { name: 'that is the root', sent: '/' },
    { name: 'with another secret', sent: buildSecretPath(c, '/evacuations/mutate') },
    { name: 'whose secret lacks its last letter', sent: `/reviews/${a.slice(1)}/evacuations/mutate` },
    { name: 'whose secret has another last letter', sent: buildSecretPath(`${a.slice(1)}b`, '/evacuations/mutate') },
    { name: 'whose secret has another first letter', sent: buildSecretPath(`b${a.slice(1)}`, '/evacuations/mutate') },
    { name: 'whose secret is in capitals', sent: buildSecretPath(a.toUpperCase(), '/evacuations/mutate') },
    { name: 'whose secret ends early', sent: `/reviews/${a.slice(3)}` },
    { name: 'with letters of more than a byte', sent: buildSecretPath('ä'.repeat(64), '/evacuations/mutate') },
    { name: 'with the secret in another place', sent: `/evacuations/mutate/reviews/${a}` },
    { name: 'without the prefix', sent: `/${a}/evacuations/mutate` },
    { name: 'with two slashes', sent: `/${right}` },
    { name: 'with dots', sent: `/x/..${right}` },
  ])('$name', ({ sent, expected }) => {
    expect(matchSecretPath(sent, [a, b])).toBe(expected)
  })

  test('lets nobody in where there is no secret', () => {
    expect(matchSecretPath(right, [])).toBeUndefined()
  })
})

test('what is shown has no secret in it, however the API server puts it', () => {
  const [{ secret } = { secret: '' }] = withNewSecret([], startMs)
  const url = `https://lifeboat-webhook.lifeboat-system.svc:8443${buildSecretPath(secret, '/evacuations/mutate')}`
  const message = `failed calling webhook "mutate": Post "${url}?timeout=10s": refused; Post "${url}"`
  const shown = concealSecrets(message)
  expect(shown).not.toContain(secret)
  expect(shown.match(/:8443\/reviews\/…\/evacuations\/mutate/g)).toHaveLength(2)
  expect(concealSecrets('no secret')).toBe('no secret')
})
