import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { createAuthority, reopenAuthority } from './certificates.ts'

const authority = createAuthority('test authority', Date.now())
const server = authority.issue({
  commonName: 'server',
  usage: 'server',
  dnsNames: ['localhost', 'a.rather.long.name.in.the.cluster.local'],
  addresses: ['127.0.0.1', '10.96.0.1'],
})
const client = authority.issue({ commonName: 'admin', organizations: ['system:masters', 'more'], usage: 'client' })

test('a certificate is signed by its authority and says whom it is for', () => {
  const root = new X509Certificate(authority.certificate)
  expect(root.ca).toBe(true)
  for (const { certificate, key } of [server, client]) {
    const leaf = new X509Certificate(certificate)
    expect(leaf.checkIssued(root)).toBe(true)
    expect(leaf.verify(root.publicKey)).toBe(true)
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(leaf.ca).toBe(false)
  }
  const serving = new X509Certificate(server.certificate)
  expect(serving.checkIP('10.96.0.1')).toBe('10.96.0.1')
  expect(serving.checkHost('localhost')).toBe('localhost')
  expect(new X509Certificate(client.certificate).subject).toBe('O=system:masters\nO=more\nCN=admin')
})

test('both ends of a TLS connection accept each other', async () => {
  const { promise, resolve } = Promise.withResolvers<TLSSocket>()
  const listener = createServer(
    {
      cert: server.certificate,
      key: server.key,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    resolve,
  ).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const socket = connect({
    host: '127.0.0.1',
    port: address.port,
    ca: authority.certificate,
    cert: client.certificate,
    key: client.key,
  })
  const accepted = await promise
  expect(accepted.authorized).toBe(true)
  expect(accepted.getPeerCertificate().subject.CN).toBe('admin')
  socket.destroy()
  listener.close()
})

describe('validity', () => {
  const dayMs = 24 * 60 * 60 * 1_000
  const nowMs = Date.UTC(2026, 0, 1)
  const periodOf = (certificate: string) => {
    const { validFrom, validTo } = new X509Certificate(certificate)
    return { fromMs: Date.parse(validFrom) - nowMs, toMs: Date.parse(validTo) - nowMs }
  }
  const beforeMs = -60 * 60 * 1_000

  test('begins an hour before and lasts a month, or as long as is asked for', () => {
    const short = createAuthority('short', nowMs)
    expect(periodOf(short.certificate)).toEqual({ fromMs: beforeMs, toMs: 30 * dayMs })
    const long = createAuthority('long', nowMs, { validForMs: 365 * dayMs })
    expect(periodOf(long.certificate)).toEqual({ fromMs: beforeMs, toMs: 365 * dayMs })
    const leaf = long.issue({ commonName: 'leaf', usage: 'server', validForMs: 90 * dayMs })
    expect(periodOf(leaf.certificate)).toEqual({ fromMs: beforeMs, toMs: 90 * dayMs })
  })
})

test('an authority that is opened again goes on where it was', () => {
  const reopened = reopenAuthority({ certificate: authority.certificate, key: authority.key }, Date.now())
  const leaf = new X509Certificate(reopened.issue({ commonName: 'later', usage: 'server' }).certificate)
  const root = new X509Certificate(authority.certificate)
  expect(leaf.checkIssued(root)).toBe(true)
  expect(leaf.verify(root.publicKey)).toBe(true)
})

describe('addresses', () => {
  test.each(['127.0.0.1', '::1', '::', 'fe80::1:2', '2001:db8:1:2:3:4:5:6', '::ffff:10.0.0.1', '2001:DB8::'])(
    '%s is one',
    (address) => {
      const { certificate } = authority.issue({ commonName: 'server', usage: 'server', addresses: [address] })
      expect(new X509Certificate(certificate).checkIP(address)).toBeDefined()
    },
  )

  test.each(['localhost', '1.2.3', 'fe80::1%eth0', ''])('"%s" is none', (address) => {
    const issue = () => authority.issue({ commonName: 'server', usage: 'server', addresses: [address] })
    expect(issue).toThrow('is no IP address')
  })
})
