import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

// Certificates with nothing but node:crypto: it makes keys and signatures, and the DER around them is little more than
// nested lengths. One algorithm throughout: ECDSA on P-256 with SHA-256.

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
  /** IPv4. */
  readonly addresses?: readonly string[]
}

/** Valid from an hour ago, for clocks that lag, to a month from now. */
export function createAuthority(commonName: string, nowMs: number): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = distinguishedName(commonName, [])
  const extensions = [
    extension(objectIdentifiers.basicConstraints, sequence(der(tags.boolean, Buffer.of(0xff))), 'critical'),
    // Certificate and revocation list signing.
    extension(objectIdentifiers.keyUsage, der(tags.bitString, Buffer.of(1, 0b0000_0110)), 'critical'),
  ]
  return {
    ...keyPairOf(signedCertificate({ issuer, subject: issuer, publicKey, extensions, nowMs }, privateKey), privateKey),
    issue: (request) => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const content = {
        issuer,
        subject: distinguishedName(request.commonName, request.organizations ?? []),
        publicKey: pair.publicKey,
        extensions: leafExtensions(request),
        nowMs,
      }
      return keyPairOf(signedCertificate(content, privateKey), pair.privateKey)
    },
  }
}

function leafExtensions(request: CertificateRequest): Buffer[] {
  const purpose = request.usage === 'server' ? objectIdentifiers.serverPurpose : objectIdentifiers.clientPurpose
  const names = [
    ...(request.dnsNames ?? []).map((name) => der(tags.dnsName, Buffer.from(name))),
    ...(request.addresses ?? []).map((address) => der(tags.address, Buffer.from(address.split('.').map(Number)))),
  ]
  return [
    // Digital signature.
    extension(objectIdentifiers.keyUsage, der(tags.bitString, Buffer.of(7, 0b1000_0000)), 'critical'),
    extension(objectIdentifiers.extendedKeyUsage, sequence(objectIdentifier(purpose))),
    ...(names.length > 0 ? [extension(objectIdentifiers.subjectAlternativeName, sequence(...names))] : []),
  ]
}

interface CertificateContent {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
  readonly nowMs: number
}

const validityMs = { before: 60 * 60 * 1_000, after: 30 * 24 * 60 * 60 * 1_000 }

/** RFC 5280, section 4.1. */
function signedCertificate(content: CertificateContent, issuerKey: KeyObject): Buffer {
  const algorithm = sequence(objectIdentifier(objectIdentifiers.ecdsaWithSha256))
  const serial = randomBytes(16)
  // A serial number is positive and without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const body = sequence(
    der(tags.version, der(tags.integer, Buffer.of(2))),
    der(tags.integer, serial),
    algorithm,
    content.issuer,
    sequence(time(content.nowMs - validityMs.before), time(content.nowMs + validityMs.after)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(tags.extensions, sequence(...content.extensions)),
  )
  const signature = sign('sha256', body, issuerKey)
  return sequence(body, algorithm, der(tags.bitString, Buffer.of(0), signature))
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  address: 0x87,
  version: 0xa0,
  extensions: 0xa3,
}

const objectIdentifiers = {
  commonName: [2, 5, 4, 3],
  organization: [2, 5, 4, 10],
  keyUsage: [2, 5, 29, 15],
  subjectAlternativeName: [2, 5, 29, 17],
  basicConstraints: [2, 5, 29, 19],
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

function time(momentMs: number): Buffer {
  return der(
    tags.generalizedTime,
    Buffer.from(`${new Date(momentMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`),
  )
}

function keyPairOf(certificate: Buffer, key: KeyObject): KeyPair {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
  }
}
