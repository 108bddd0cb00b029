import { EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { hasIPv6 } from '../../test/build/has-ipv6.ts'
import { everyAddress, listenAt, renderAddress } from './listen.ts'

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

test.skipIf(!hasIPv6).each([
  { host: everyAddress, expected: [true, true] },
  { host: '0.0.0.0', expected: [true, false] },
  { host: '127.0.0.1', expected: [true, false] },
  { host: '::1', expected: [false, true] },
])('at $host it is reached by 127.0.0.1 and by ::1: $expected', async ({ host, expected }) => {
  await using server = createServer((socket) => socket.destroy())
  const port = await listenAt(server, { host, port: 0 })
  expect([await answers('127.0.0.1', port), await answers('::1', port)]).toEqual(expected)
})

/** A machine on which sockets fail as these codes say, in turn, and then work. */
function machineThat(...codes: readonly string[]) {
  const tried: string[] = []
  const left = [...codes]
  const server = Object.assign(new EventEmitter(), {
    listen: ({ host = '', port }: ListenOptions) => {
      tried.push(`${host} ${port}`)
      const code = left.shift()
      if (code === undefined) queueMicrotask(() => server.emit('listening'))
      else queueMicrotask(() => server.emit('error', Object.assign(new Error(`listen ${code}`), { code })))
    },
    address: (): AddressInfo => ({ address: 'any', family: 'any', port: 4711 }),
  })
  return { server: server as unknown as Server, tried }
}

test.each([
  { name: 'with IPv6', codes: [], tried: [':: 8081'] },
  { name: 'without IPv6 in its kernel', codes: ['EAFNOSUPPORT'], tried: [':: 8081', '0.0.0.0 8081'] },
  { name: 'with IPv6 switched off', codes: ['EADDRNOTAVAIL'], tried: [':: 8081', '0.0.0.0 8081'] },
])('a machine $name is listened at by every address that it has', async ({ codes, tried }) => {
  const machine = machineThat(...codes)
  expect(await listenAt(machine.server, { host: everyAddress, port: 8081 })).toBe(4711)
  expect(machine.tried).toEqual(tried)
})

test.each([
  { name: 'a port that is taken', host: everyAddress, codes: ['EADDRINUSE'], tried: 1 },
  { name: 'a port that is not allowed', host: everyAddress, codes: ['EACCES'], tried: 1 },
  { name: 'a single address without IPv6', host: '::1', codes: ['EADDRNOTAVAIL'], tried: 1 },
  {
    name: 'a port that is taken without IPv6',
    host: everyAddress,
    codes: ['EAFNOSUPPORT', 'EADDRINUSE'],
    tried: 2,
  },
])('$name stays an error', async ({ host, codes, tried }) => {
  const machine = machineThat(...codes)
  await expect(listenAt(machine.server, { host, port: 8081 })).rejects.toThrow(`listen ${codes.at(-1)}`)
  expect(machine.tried).toHaveLength(tried)
})

test.each([
  { host: '127.0.0.1', expected: '127.0.0.1:8081' },
  { host: 'localhost', expected: 'localhost:8081' },
  { host: '::', expected: '[::]:8081' },
  { host: '::ffff:10.0.0.1', expected: '[::ffff:10.0.0.1]:8081' },
  { host: 'fe80::1%eth0', expected: '[fe80::1%eth0]:8081' },
])('$expected', ({ host, expected }) => expect(renderAddress({ host, port: 8081 })).toBe(expected))
