import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { hasIPv6 } from './build/has-ipv6.ts'
import { loadInCluster, serviceAccountFolder } from '../src/kube/auth/in-cluster.ts'
import { TransportError } from '../src/kube/client/transport.ts'
import { UndiciTransport } from '../src/kube/client/undici-transport.ts'
import { createAuthority } from '../src/runtime/certificates.ts'
import { systemClock } from '../src/runtime/system.ts'

const authority = createAuthority('test', Date.now())

/** What the kubelet mounts. */
const files = new Map([
  [`${serviceAccountFolder}/token`, 'secret'],
  [`${serviceAccountFolder}/ca.crt`, authority.certificate],
  [`${serviceAccountFolder}/namespace`, 'lifeboat-system'],
])

/** An API server with a certificate for this address, asked as a pod of an IPv6-only cluster asks its own. */
async function askServerWith(certified: string): Promise<{ host: string | undefined; status: number }> {
  const issued = authority.issue({ commonName: 'kube-apiserver', usage: 'server', addresses: [certified] })
  await using server = createServer({ cert: issued.certificate, key: issued.key }, ({ headers: { host } }, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ host })),
  )
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve))
  const port = String((server.address() as AddressInfo).port)
  const access = await loadInCluster({
    environment: { KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: port },
    files: { readText: async (path) => files.get(path) ?? '' },
    clock: systemClock,
  })
  const transport = new UndiciTransport({ ...access, userAgent: 'lifeboat/test' })
  try {
    const { status, body } = await transport.request({ method: 'GET', path: '/version' })
    return { host: (body as { host?: string }).host?.replace(port, 'PORT'), status }
  } finally {
    await transport.close()
    server.closeAllConnections()
  }
}

test.skipIf(!hasIPv6)('a pod reaches an API server that has an IPv6 address, and checks its certificate', async () => {
  expect(await askServerWith('::1')).toEqual({ host: '[::1]:PORT', status: 200 })
  await expect(askServerWith('fd00::1')).rejects.toThrow(TransportError)
})
