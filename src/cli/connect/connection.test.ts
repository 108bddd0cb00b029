import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { hasIPv6 } from '../../../test/build/has-ipv6.ts'
import { openServedCluster } from '../../../test/build/served-cluster.ts'
import { localAddressTowards, openConnection } from './connection.ts'

test('a connection knows the server that it leads to', async () => {
  await using served = await openServedCluster()
  await using connection = await openConnection({ kubeconfig: served.kubeconfig })
  expect(connection.access.server).toBe(served.url)
  expect(connection.serverVersion).toMatch(/^v1\.\d+/)
})

test('a server that is not there is named', async () => {
  const served = await openServedCluster()
  await using _served = served
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const nobody = `https://127.0.0.1:${port}`
  await writeFile(
    served.kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'a', cluster: { server: nobody } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      'current-context': 'a',
    }),
  )
  await expect(openConnection({ kubeconfig: served.kubeconfig })).rejects.toThrow(
    `cannot reach the API server at ${nobody}: `,
  )
  await expect(openConnection({ kubeconfig: `${served.kubeconfig}.not` })).rejects.toThrow('does not exist')
  await expect(localAddressTowards(nobody)).rejects.toThrow('ECONNREFUSED')
})

test('the way back is the address on the way there', async () => {
  await using served = await openServedCluster()
  expect(await localAddressTowards(served.url)).toBe('127.0.0.1')
})

test.skipIf(!hasIPv6)('to a server that has an IPv6 address, the way back has one too', async () => {
  await using server = createServer((socket) => socket.destroy()).listen(0, '::1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  expect(await localAddressTowards(`https://[::1]:${port}`)).toBe('::1')
})
