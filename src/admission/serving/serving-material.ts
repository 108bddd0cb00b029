import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createAuthority, reopenAuthority, type KeyPair } from '../../runtime/certificates.ts'
import { parsePathSecrets, withNewSecret, type PathSecrets } from './path-secret.ts'

/** Whom the API server finds at the other end: names of a Service, or addresses. */
export interface ServingNames {
  readonly dnsNames: readonly string[]
  readonly addresses: readonly string[]
}

/** What a listener shows, and what the API server checks it against. */
export interface ServingMaterial {
  /** The one that signs from now on. */
  readonly authority: KeyPair
  /** PEM of authorities that signed before: others may still show what they signed. */
  readonly formerAuthorities: readonly string[]
  readonly serving: KeyPair
  /** What the API server shows the listener. None: it was stored before there were any. */
  readonly pathSecrets: PathSecrets
}

/**
 * `authority` adds one, and leaves the certificate as it is. `serving` comes with a new path secret; `pathSecret` adds
 * just that. `everything` begins again.
 */
export type Renewal = 'none' | 'serving' | 'pathSecret' | 'authority' | 'everything'

const dayMs = 24 * 60 * 60 * 1_000

export const servingLimits = {
  authorityMs: 365 * dayMs,
  servingMs: 90 * dayMs,
  /** No replica shows what a new authority signed until every webhook configuration must have heard of it. */
  authorityKnownMs: 60 * 60 * 1_000,
  formerAuthoritiesMax: 3,
}

/** The authority's certificates count from an hour before they were made. */
const backdatedMs = 60 * 60 * 1_000

export function makeMaterial(names: ServingNames, nowMs: number): ServingMaterial {
  const authority = makeAuthority(nowMs)
  const { certificate, key } = authority
  const serving = authority.issue(servingRequest(names))
  return {
    authority: { certificate, key },
    formerAuthorities: [],
    serving,
    pathSecrets: withNewSecret([], nowMs),
  }
}

/** Base64 of all authorities, as webhook configurations have it. */
export function caBundleOf(material: ServingMaterial): string {
  return Buffer.from(authoritiesOf(material)).toString('base64')
}

/** PEM of all authorities, the one that signs first. */
export function authoritiesOf({ authority, formerAuthorities }: ServingMaterial): string {
  return [authority.certificate, ...formerAuthorities].join('')
}

export function decideRenewal(material: ServingMaterial, names: ServingNames, nowMs: number): Renewal {
  const authority = new X509Certificate(material.authority.certificate)
  const serving = new X509Certificate(material.serving.certificate)
  if (!isWhole(material, { authority, serving }) || isOver(authority, nowMs)) return 'everything'
  if (isOver(serving, nowMs) || !covers(serving, names)) return 'serving'
  if (material.pathSecrets.length === 0) return 'pathSecret'
  if (nowMs >= dueMs(authority)) return 'authority'
  return nowMs >= Math.max(dueMs(serving), knownMs(authority)) ? 'serving' : 'none'
}

/** When decideRenewal will first say something else, if the material does not change. */
export function nextRenewalMs({ authority, serving }: ServingMaterial): number {
  const certificates = {
    authority: new X509Certificate(authority.certificate),
    serving: new X509Certificate(serving.certificate),
  }
  return Math.min(dueMs(certificates.authority), Math.max(dueMs(certificates.serving), knownMs(certificates.authority)))
}

export function renewMaterial(
  material: ServingMaterial,
  names: ServingNames,
  renewal: Exclude<Renewal, 'none'>,
  nowMs: number,
): ServingMaterial {
  if (renewal === 'everything') return makeMaterial(names, nowMs)
  const pathSecrets = withNewSecret(material.pathSecrets, nowMs)
  if (renewal === 'pathSecret') return { ...material, pathSecrets }
  if (renewal === 'serving') {
    const serving = reopenAuthority(material.authority, nowMs).issue(servingRequest(names))
    return { ...material, serving, pathSecrets }
  }
  const { certificate, key } = makeAuthority(nowMs)
  const former = [material.authority.certificate, ...material.formerAuthorities]
    .filter((pem) => !isOver(new X509Certificate(pem), nowMs))
    .slice(0, servingLimits.formerAuthoritiesMax)
  return { ...material, authority: { certificate, key }, formerAuthorities: former }
}

/** Undefined for what is no material: it was edited. */
export function parseMaterial(parts: {
  readonly authorities: string
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
  readonly pathSecrets: string
}): ServingMaterial | undefined {
  const [authority, ...formerAuthorities] =
    parts.authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? []
  if (authority === undefined) return undefined
  const material = {
    authority: { certificate: authority, key: parts.authorityKey },
    formerAuthorities,
    serving: { certificate: parts.certificate, key: parts.key },
    pathSecrets: parsePathSecrets(parts.pathSecrets),
  }
  try {
    const read = { authority: new X509Certificate(authority), serving: new X509Certificate(parts.certificate) }
    for (const pem of formerAuthorities) void new X509Certificate(pem)
    return isWhole(material, read) ? material : undefined
  } catch {
    return undefined
  }
}

function makeAuthority(nowMs: number) {
  // Two authorities that stand in one bundle must not have one name, or the wrong one may be tried.
  const name = `lifeboat webhooks ${new Date(nowMs).toISOString()}`
  return createAuthority(name, nowMs, { validForMs: servingLimits.authorityMs })
}

function servingRequest(names: ServingNames) {
  return { commonName: 'lifeboat', usage: 'server', ...names, validForMs: servingLimits.servingMs } as const
}

interface Read {
  readonly authority: X509Certificate
  readonly serving: X509Certificate
}

/** Keys fit their certificates, and one of the authorities signed the one that is shown. */
function isWhole({ authority, formerAuthorities, serving }: ServingMaterial, read: Read): boolean {
  const signers = [read.authority, ...formerAuthorities.map((pem) => new X509Certificate(pem))]
  return (
    read.authority.checkPrivateKey(createPrivateKey(authority.key)) &&
    read.serving.checkPrivateKey(createPrivateKey(serving.key)) &&
    signers.some((signer) => read.serving.checkIssued(signer) && read.serving.verify(signer.publicKey))
  )
}

function covers(serving: X509Certificate, { dnsNames, addresses }: ServingNames): boolean {
  return (
    dnsNames.every((name) => serving.checkHost(name) !== undefined) &&
    addresses.every((address) => serving.checkIP(address) !== undefined)
  )
}

/** Two thirds of the lifetime leave a third for whatever goes wrong. */
function dueMs({ validFrom, validTo }: X509Certificate): number {
  const fromMs = Date.parse(validFrom)
  return fromMs + ((Date.parse(validTo) - fromMs) * 2) / 3
}

function knownMs({ validFrom }: X509Certificate): number {
  return Date.parse(validFrom) + backdatedMs + servingLimits.authorityKnownMs
}

function isOver({ validTo }: X509Certificate, nowMs: number): boolean {
  return nowMs >= Date.parse(validTo)
}
