import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'

// Certificates with nothing but node:crypto: it makes keys and signatures, and the DER around them is little more than
// nested lengths. One algorithm throughout: ECDSA on P-256 with SHA-256. docs/dependencies.md says why no library does it.

export interface KeyPair {
  /** PEM. */
  readonly certificate: string
  /** PEM, PKCS #8. */
  readonly key: string
}

export interface Authority extends KeyPair {
  issue(request: CertificateRequest): KeyPair
}

export interface CertificateRequest {
  readonly commonName: string
  /** Kubernetes reads these as the groups of the user that the common name stands for. */
  readonly organizations?: readonly string[]
  readonly usage: 'server' | 'client'
  readonly dnsNames?: readonly string[]
  /** IPv4 or IPv6. */
  readonly addresses?: readonly string[]
  /** From now on; a month if not given. */
  readonly validForMs?: number
}

const validity = { beforeMs: 60 * 60 * 1_000, defaultMs: 30 * 24 * 60 * 60 * 1_000 }

/** All its certificates are valid from an hour before `nowMs`, for clocks that lag. */
export function createAuthority(
  commonName: string,
  nowMs: number,
  { validForMs = validity.defaultMs }: { readonly validForMs?: number } = {},
): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer = {
    issuer: distinguishedName(commonName, []),
    privateKey,
    keyIdentifier: identifierOf(publicKey),
    nowMs,
  }
  const extensions = [
    extension(objectIdentifiers.basicConstraints, sequence(der(tags.boolean, Buffer.of(0xff))), 'critical'),
    // Certificate and revocation list signing.
    extension(objectIdentifiers.keyUsage, der(tags.bitString, Buffer.of(1, 0b0000_0110)), 'critical'),
  ]
  const certificate = signedCertificate({ subject: signer.issuer, publicKey, extensions, validForMs }, signer)
  return { ...keyPairOf(certificate, privateKey), issue: (request) => issueFrom(signer, request) }
}

/**
 * Continues an authority that was made before. It must be one of ours: its subject is its common name alone. Releases up
 * to 0.2 made authorities without a key identifier. Certificates name the one that the key has all the same: a verifier
 * compares them only where both are present.
 */
export function reopenAuthority(pair: KeyPair, nowMs: number): Authority {
  const [, commonName = ''] = /^CN=(.*)$/m.exec(new X509Certificate(pair.certificate).subject) ?? []
  const privateKey = createPrivateKey(pair.key)
  const keyIdentifier = identifierOf(createPublicKey(privateKey))
  const signer = { issuer: distinguishedName(commonName, []), privateKey, keyIdentifier, nowMs }
  return { ...pair, issue: (request) => issueFrom(signer, request) }
}

interface Signer {
  readonly issuer: Buffer
  readonly privateKey: KeyObject
  readonly keyIdentifier: Buffer
  readonly nowMs: number
}

function issueFrom(signer: Signer, request: CertificateRequest): KeyPair {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = {
    subject: distinguishedName(request.commonName, request.organizations ?? []),
    publicKey: pair.publicKey,
    extensions: leafExtensions(request),
    validForMs: request.validForMs ?? validity.defaultMs,
  }
  return keyPairOf(signedCertificate(content, signer), pair.privateKey)
}

function leafExtensions(request: CertificateRequest): Buffer[] {
  const purpose = request.usage === 'server' ? objectIdentifiers.serverPurpose : objectIdentifiers.clientPurpose
  const names = [
    ...(request.dnsNames ?? []).map((name) => der(tags.dnsName, Buffer.from(name))),
    ...(request.addresses ?? []).map((address) => der(tags.address, addressBytes(address))),
  ]
  return [
    // Digital signature.
    extension(objectIdentifiers.keyUsage, der(tags.bitString, Buffer.of(7, 0b1000_0000)), 'critical'),
    extension(objectIdentifiers.extendedKeyUsage, sequence(objectIdentifier(purpose))),
    ...(names.length > 0 ? [extension(objectIdentifiers.subjectAlternativeName, sequence(...names))] : []),
  ]
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  if (!isIPv6(address) || address.includes('%')) throw new Error(`${address} is no IP address`)
  // The URL parser writes the last 32 bits in hexadecimal too; what is left is to fill in the zeros of "::".
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = 8 - groupsOf(head).length - groupsOf(tail ?? '').length
  const groups = [...groupsOf(head), ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

interface CertificateContent {
  readonly subject: Buffer
  readonly publicKey: KeyObject
  /** Besides the key identifiers, which every certificate has. */
  readonly extensions: readonly Buffer[]
  readonly validForMs: number
}

/** RFC 5280, section 4.1. */
function signedCertificate(content: CertificateContent, signer: Signer): Buffer {
  const algorithm = sequence(objectIdentifier(objectIdentifiers.ecdsaWithSha256))
  const serial = randomBytes(16)
  // A serial number is positive and without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    der(tags.version, der(tags.integer, Buffer.of(2))),
    der(tags.integer, serial),
    algorithm,
    signer.issuer,
    sequence(time(signer.nowMs - validity.beforeMs), time(signer.nowMs + content.validForMs)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(tags.extensions, sequence(...keyIdentifiers(content.publicKey, signer), ...content.extensions)),
  )
  const signature = sign('sha256', body, signer.privateKey)
  return sequence(body, algorithm, der(tags.bitString, Buffer.of(0), signature))
}

/** Strict verifiers ask for both, among them Python since 3.13. RFC 5280, sections 4.2.1.1 and 4.2.1.2. */
function keyIdentifiers(publicKey: KeyObject, signer: Signer): Buffer[] {
  return [
    extension(objectIdentifiers.subjectKeyIdentifier, der(tags.octetString, identifierOf(publicKey))),
    extension(objectIdentifiers.authorityKeyIdentifier, sequence(der(tags.keyIdentifier, signer.keyIdentifier))),
  ]
}

const keyIdentifierLength = 20

/** RFC 7093, section 2, method 1: from the public key without what says its kind. */
function identifierOf(publicKey: KeyObject): Buffer {
  // Of a key on P-256 that is a point: one byte of form and two numbers of 32 bytes, at the end of the whole.
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha256').update(point).digest().subarray(0, keyIdentifierLength)
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  keyIdentifier: 0x80,
  dnsName: 0x82,
  address: 0x87,
  version: 0xa0,
  extensions: 0xa3,
}

const objectIdentifiers = {
  commonName: [2, 5, 4, 3],
  organization: [2, 5, 4, 10],
  subjectKeyIdentifier: [2, 5, 29, 14],
  keyUsage: [2, 5, 29, 15],
  subjectAlternativeName: [2, 5, 29, 17],
  basicConstraints: [2, 5, 29, 19],
  authorityKeyIdentifier: [2, 5, 29, 35],
  extendedKeyUsage: [2, 5, 29, 37],
  serverPurpose: [1, 3, 6, 1, 5, 5, 7, 3, 1],
  clientPurpose: [1, 3, 6, 1, 5, 5, 7, 3, 2],
  ecdsaWithSha256: [1, 2, 840, 10045, 4, 3, 2],
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.of(tag, content.length), content])
  const length = Buffer.from(content.length.toString(16).padStart(content.length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.of(tag, 0x80 | length.length), length, content])
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return der(tags.sequence, ...contents)
}

function objectIdentifier([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const groups = [arc & 0x7f]
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return der(tags.objectIdentifier, Buffer.from(bytes))
}

function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (identifier: readonly number[], value: string) =>
    der(tags.set, sequence(objectIdentifier(identifier), der(tags.utf8String, Buffer.from(value))))
  return sequence(
    ...organizations.map((organization) => attribute(objectIdentifiers.organization, organization)),
    attribute(objectIdentifiers.commonName, commonName),
  )
}

function extension(identifier: readonly number[], value: Buffer, critical?: 'critical'): Buffer {
  const mark = critical === undefined ? [] : [der(tags.boolean, Buffer.of(0xff))]
  return sequence(objectIdentifier(identifier), ...mark, der(tags.octetString, value))
}

/** RFC 5280, section 4.1.2.5: until the end of 2049 with two digits of the year, later with four. */
function time(momentMs: number): Buffer {
  const moment = new Date(momentMs)
  const digits = `${moment.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`
  if (moment.getUTCFullYear() >= 2050) return der(tags.generalizedTime, Buffer.from(digits))
  return der(tags.utcTime, Buffer.from(digits.slice(2)))
}

function keyPairOf(certificate: Buffer, key: KeyObject): KeyPair {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
  }
}
