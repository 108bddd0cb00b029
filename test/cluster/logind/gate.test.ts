import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { openGate } from './gate.ts'

test('a gate that is shut breaks what is open and lets nothing in', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  await using gate = await openGate((server.address() as AddressInfo).port)
  const visit = () => connect(gate.port, '127.0.0.1').on('error', () => {})
  const first = visit()
  expect(String((await once(first, 'data'))[0])).toBe('hello')
  gate.shut()
  await once(first, 'close')
  const second = visit()
  await once(second, 'close')
  expect(second.bytesRead).toBe(0)
  gate.open()
  const third = visit()
  expect(String((await once(third, 'data'))[0])).toBe('hello')
  third.destroy()
  server.close()
})
