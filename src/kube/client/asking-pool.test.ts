import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { AskingPool } from './asking-pool.ts'

test('asks when a request is written, and writes none that is kept back', async () => {
  const written: string[] = []
  const server = createServer((request, response) => {
    written.push(String(request.url))
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const pool = new AskingPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
  const asked: string[] = []
  const send = (path: string, isAllowed: () => boolean) => {
    const beforeSending = () => {
      asked.push(`${path} after ${written.length}`)
      if (!isAllowed()) throw new Error('too late')
    }
    const options = { method: 'GET', path, beforeSending } as const
    return pool.request(options)
  }
  // The second waits for the connection of the first.
  const first = send('/first', () => true)
  const second = send('/second', () => written.length === 0)
  second.catch(() => {})
  await (await first).body.text()
  await expect(second).rejects.toThrow('too late')
  await (await send('/third', () => true)).body.text()
  expect(asked).toEqual(['/first after 0', '/second after 1', '/third after 1'])
  expect(written).toEqual(['/first', '/third'])
  await pool.close()
  server.close()
})

test('asks nothing where there is nothing to ask', async () => {
  const server = createServer((_, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const pool = new AskingPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { body } = await pool.request({ method: 'GET', path: '/' })
  expect(await body.text()).toBe('ok')
  await pool.close()
  server.close()
})
