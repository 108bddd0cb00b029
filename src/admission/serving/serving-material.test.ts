import { X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { acceptedSecrets, renderPathSecrets, secretInUse } from './path-secret.ts'
import {
  authoritiesOf,
  caBundleOf,
  decideRenewal,
  makeMaterial,
  nextRenewalMs,
  parseMaterial,
  renewMaterial,
  servingLimits,
  type ServingMaterial,
} from './serving-material.ts'

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
const startMs = Date.UTC(2026, 0, 1)
const names = { dnsNames: ['lifeboat.lifeboat-system.svc'], addresses: ['127.0.0.1', '::1'] }
const made = makeMaterial(names, startMs)

const isSignedBy = ({ serving }: ServingMaterial, authority: string) =>
  new X509Certificate(serving.certificate).verify(new X509Certificate(authority).publicKey)

test('what is made is for its names, signed by its authority, and lasts as long as it should', () => {
  const serving = new X509Certificate(made.serving.certificate)
  expect(serving.checkHost('lifeboat.lifeboat-system.svc')).toBeDefined()
  expect(serving.checkIP('127.0.0.1')).toBeDefined()
  expect(serving.checkIP('::1')).toBeDefined()
  expect(isSignedBy(made, made.authority.certificate)).toBe(true)
  expect(Date.parse(serving.validTo)).toBe(startMs + 90 * dayMs)
  expect(Date.parse(new X509Certificate(made.authority.certificate).validTo)).toBe(startMs + 365 * dayMs)
})

describe('decideRenewal', () => {
  const twoThirdsMs = (lifetimeMs: number) => startMs - hourMs + ((lifetimeMs + hourMs) * 2) / 3
  test.each([
    { name: 'a new one is fine', atMs: startMs, expected: 'none' },
    { name: 'one in its second third is fine', atMs: twoThirdsMs(90 * dayMs) - 1, expected: 'none' },
    { name: 'two thirds of its time are enough', atMs: twoThirdsMs(90 * dayMs), expected: 'serving' },
    { name: 'one that is over', atMs: startMs + 91 * dayMs, expected: 'serving' },
    { name: 'an authority that is over', atMs: startMs + 366 * dayMs, expected: 'everything' },
  ])('$name', ({ atMs, expected }) => {
    expect(decideRenewal(made, names, atMs)).toBe(expected)
  })

  test('an authority is added at two thirds of its time', () => {
    const dueMs = twoThirdsMs(365 * dayMs)
    const fresh = renewMaterial(made, names, 'serving', dueMs - 10 * dayMs)
    expect(decideRenewal(fresh, names, dueMs - 1)).toBe('none')
    expect(decideRenewal(fresh, names, dueMs)).toBe('authority')
  })

  test('another name needs another certificate at once', () => {
    expect(decideRenewal(made, { ...names, dnsNames: ['other.svc'] }, startMs)).toBe('serving')
    expect(decideRenewal(made, { ...names, addresses: ['10.0.0.1'] }, startMs)).toBe('serving')
    expect(decideRenewal(made, { dnsNames: [], addresses: [] }, startMs)).toBe('none')
  })

  test('parts that do not belong together are all made anew', () => {
    const other = makeMaterial(names, startMs)
    expect(decideRenewal({ ...made, authority: other.authority }, names, startMs)).toBe('everything')
    const swapped = { ...made, serving: { ...made.serving, key: other.serving.key } }
    expect(decideRenewal(swapped, names, startMs)).toBe('everything')
  })

  test('one that was stored before there were path secrets gets one, and keeps its certificate', () => {
    const old = { ...made, pathSecrets: [] }
    expect(decideRenewal(old, names, startMs + dayMs)).toBe('pathSecret')
    const renewed = renewMaterial(old, names, 'pathSecret', startMs + dayMs)
    expect({ ...renewed, pathSecrets: [] }).toEqual(old)
    expect(decideRenewal(renewed, names, startMs + dayMs)).toBe('none')
    expect(secretInUse(renewed.pathSecrets, startMs + dayMs)).toHaveLength(64)
  })

  test.each([0, 100, 300])('comes to another answer at nextRenewalMs: renewed after %s days', (days) => {
    const material = days === 0 ? made : renewMaterial(made, names, 'serving', startMs + days * dayMs)
    const dueMs = Math.ceil(nextRenewalMs(material))
    expect(decideRenewal(material, names, dueMs - 1)).toBe(dueMs - 1 >= startMs + 365 * dayMs ? 'everything' : 'none')
    expect(decideRenewal(material, names, dueMs)).not.toBe('none')
  })
})

describe('a change of the authority', () => {
  const changeMs = startMs + 250 * dayMs
  const before = renewMaterial(made, names, 'serving', startMs + 189 * dayMs)
  const during = renewMaterial(before, names, 'authority', changeMs)
  const after = renewMaterial(during, names, 'serving', changeMs + hourMs)

  test('first makes the new one known, and still shows what the old one signed', () => {
    expect(during.serving).toEqual(before.serving)
    expect(isSignedBy(during, before.authority.certificate)).toBe(true)
    expect(authoritiesOf(during)).toBe(`${during.authority.certificate}${before.authority.certificate}`)
    expect(Buffer.from(caBundleOf(during), 'base64').toString()).toBe(authoritiesOf(during))
  })

  test('shows what the new one signed an hour later at the earliest, though it be due', () => {
    const dueSoon = renewMaterial(made, names, 'authority', startMs + 61 * dayMs)
    expect(decideRenewal(dueSoon, names, startMs + 61 * dayMs + hourMs - 1)).toBe('none')
    expect(decideRenewal(dueSoon, names, startMs + 61 * dayMs + hourMs)).toBe('serving')
    expect(nextRenewalMs(dueSoon)).toBe(startMs + 61 * dayMs + hourMs)
  })

  test('keeps the old one in the bundle until it is over', () => {
    expect(isSignedBy(after, during.authority.certificate)).toBe(true)
    expect(after.formerAuthorities).toEqual([before.authority.certificate])
    const later = renewMaterial(after, names, 'authority', startMs + 366 * dayMs)
    expect(later.formerAuthorities).toEqual([after.authority.certificate])
  })

  test('does not make the bundle grow for ever', () => {
    let material = made
    for (let count = 0; count < 6; count++) material = renewMaterial(material, names, 'authority', startMs + count)
    expect(material.formerAuthorities).toHaveLength(servingLimits.formerAuthoritiesMax)
  })
})

describe('the path secret', () => {
  const renewMs = startMs + 61 * dayMs
  const before = secretInUse(made.pathSecrets, renewMs)
  const { pathSecrets } = renewMaterial(made, names, 'serving', renewMs)

  test('is renewed with the certificate, and used an hour later', () => {
    expect(acceptedSecrets(pathSecrets, renewMs)).toHaveLength(2)
    expect(secretInUse(pathSecrets, renewMs + hourMs - 1)).toBe(before)
    expect(secretInUse(pathSecrets, renewMs + hourMs)).not.toBe(before)
    expect(acceptedSecrets(pathSecrets, renewMs + hourMs)).toContain(before)
    expect(acceptedSecrets(pathSecrets, renewMs + 25 * hourMs)).not.toContain(before)
  })

  test('stays as it is when an authority is added', () => {
    expect(renewMaterial(made, names, 'authority', renewMs).pathSecrets).toEqual(made.pathSecrets)
  })

  test('is another one where all begins anew', () => {
    expect(acceptedSecrets(renewMaterial(made, names, 'everything', renewMs).pathSecrets, renewMs)).not.toContain(
      before,
    )
  })
})

describe('parseMaterial', () => {
  const during = renewMaterial(made, names, 'authority', startMs + dayMs)
  const partsOf = (material: ServingMaterial) => ({
    authorities: authoritiesOf(material),
    authorityKey: material.authority.key,
    certificate: material.serving.certificate,
    key: material.serving.key,
    pathSecrets: renderPathSecrets(material.pathSecrets),
  })

  test('reads back what was written', () => {
    expect(parseMaterial(partsOf(made))).toEqual(made)
    expect(parseMaterial(partsOf(during))).toEqual(during)
  })

  test.each([
    { name: 'nothing', parts: { authorities: '', authorityKey: '', certificate: '', key: '', pathSecrets: '' } },
    { name: 'no keys', parts: { ...partsOf(made), key: '' } },
    { name: 'a key of another', parts: { ...partsOf(made), authorityKey: makeMaterial(names, startMs).authority.key } },
    { name: 'no certificate', parts: { ...partsOf(made), certificate: 'x' } },
    {
      name: 'an authority that is none',
      parts: {
        ...partsOf(made),
        authorities: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      },
    },
  ])('sees that it is $name', ({ parts }) => {
    expect(parseMaterial(parts)).toBeUndefined()
  })
})
