import { execFile, spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isContinuousIntegration } from '../../test/continuous-integration.ts'
import { createAuthority, reopenAuthority, type KeyPair } from './certificates.ts'

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

  test.each(['2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'])('may end at %s', (end) => {
    const toMs = Date.parse(end) - nowMs
    const { certificate } = createAuthority('long', nowMs, { validForMs: toMs })
    expect(periodOf(certificate)).toEqual({ fromMs: beforeMs, toMs })
  })
})

test('an authority that is opened again goes on where it was', () => {
  const reopened = reopenAuthority({ certificate: authority.certificate, key: authority.key }, Date.now())
  const leaf = new X509Certificate(reopened.issue({ commonName: 'later', usage: 'server' }).certificate)
  const root = new X509Certificate(authority.certificate)
  expect(leaf.checkIssued(root)).toBe(true)
  expect(leaf.verify(root.publicKey)).toBe(true)
})

/** As release 0.2 stored it, without key identifiers. Nothing but this test trusts it. */
const formerAuthority: KeyPair = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBXTCCAQOgAwIBAgIQUHaPxeauUWaXTJLN7xiyrDAKBggqhkjOPQQDAjAcMRow
GAYDVQQDDBFsaWZlYm9hdC13ZWJob29rczAiGA8yMDI1MTIzMTIzMDAwMFoYDzIw
NzUxMjIwMDAwMDAwWjAcMRowGAYDVQQDDBFsaWZlYm9hdC13ZWJob29rczBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABF4f60ynWb/Dki2d6FSkfzlqQWmUMuRud1O2
d2wYog/sGpAKGAJkVYX0fTKpyVvUrMuRjX2fsKTc6+5/rUEDcaijIzAhMA8GA1Ud
EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMAoGCCqGSM49BAMCA0gAMEUCIQDk
ju7Q4OmHtgHaei0DGD6jtHy2jxEdnD9EsHs/u5eEnAIgcyxcPadA8Fy2Eb0yNB2N
8o30EeQpoIrI8pgrFFWp/4w=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgybaReszXkelxAngB
IY1Y6hP+Jgr3/xS0g/sHe5CRJemhRANCAAReH+tMp1m/w5ItnehUpH85akFplDLk
bndTtndsGKIP7BqQChgCZFWF9H0yqclb1KzLkY19n7Ck3Ovuf61BA3Go
-----END PRIVATE KEY-----
`,
}

test('certificates of an authority without key identifiers are accepted', () => {
  const reopened = reopenAuthority(formerAuthority, Date.now())
  const leaf = new X509Certificate(reopened.issue({ commonName: 'later', usage: 'server' }).certificate)
  const root = new X509Certificate(formerAuthority.certificate)
  expect(leaf.checkIssued(root)).toBe(true)
  expect(leaf.verify(root.publicKey)).toBe(true)
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe.skipIf(!hasOpenssl && !isContinuousIntegration())('openssl', () => {
  const run = promisify(execFile)

  async function verify(pem: string, root: string, ...options: readonly string[]): Promise<string> {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-certificates-'))
    const paths = { root: join(folder.path, 'root.crt'), leaf: join(folder.path, 'leaf.crt') }
    await writeFile(paths.root, root)
    await writeFile(paths.leaf, pem)
    const { stdout } = await run('openssl', ['verify', ...options, '-CAfile', paths.root, paths.leaf])
    return stdout.replace(paths.leaf, 'leaf').trim()
  }

  const reopened = reopenAuthority({ certificate: authority.certificate, key: authority.key }, Date.now())
  test.each([
    { name: 'the authority', pem: authority.certificate, purpose: 'any' },
    { name: 'a server', pem: server.certificate, purpose: 'sslserver' },
    { name: 'a client', pem: client.certificate, purpose: 'sslclient' },
    {
      name: 'a server of an authority that was opened again',
      pem: reopened.issue({ commonName: 'later', usage: 'server', addresses: ['127.0.0.1'] }).certificate,
      purpose: 'sslserver',
    },
  ])('accepts the certificate of $name where it is strict', async ({ pem, purpose }) => {
    expect(await verify(pem, authority.certificate, '-x509_strict', '-purpose', purpose)).toBe('leaf: OK')
  })

  test('accepts a new certificate of an authority without key identifiers', async () => {
    const { certificate } = reopenAuthority(formerAuthority, Date.now()).issue({ commonName: 'later', usage: 'server' })
    expect(await verify(certificate, formerAuthority.certificate, '-purpose', 'sslserver')).toBe('leaf: OK')
  })
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
