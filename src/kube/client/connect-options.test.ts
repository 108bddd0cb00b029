import { expect, test } from 'vitest'
import { createAuthority } from '../../runtime/certificates.ts'
import { connectOptions } from './connect-options.ts'
import { TransportError } from './transport.ts'

const tls = { insecureSkipVerify: false }

test('certificates are read where they are used', () => {
  const authority = createAuthority('test', 0)
  const { certificate, key } = authority.issue({ commonName: 'joe', usage: 'client' })
  const trusting = { ...tls, certificateAuthority: authority.certificate, serverName: 'api' }
  expect(connectOptions('https://127.0.0.1:6443', trusting, { certificate, key })).toEqual({
    timeout: 10_000,
    keepAlive: true,
    rejectUnauthorized: true,
    servername: 'api',
    secureContext: expect.anything(),
  })
  expect(connectOptions('http://127.0.0.1:80', tls, { certificate: 'none', key: 'none' })).not.toHaveProperty(
    'secureContext',
  )
})

test('what is no certificate is an error of the transport', () => {
  const connecting = () => connectOptions('https://127.0.0.1:6443', tls, { certificate: 'one', key: 'one' })
  expect(connecting).toThrow(TransportError)
})
