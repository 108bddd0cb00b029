import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { createAuthority } from './certificates.ts'

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
