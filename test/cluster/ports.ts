import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the range from which systems hand out ports to outgoing connections: a component that is down for a while must
// find its port still free when it comes back.
const range = { first: 20_000, last: 32_000 }
const triesMax = 1_000

/** Different ports on loopback that nobody listens on. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  for (let tries = 0; ports.size < count; tries++) {
    if (tries >= triesMax) throw new Error(`no ${count} free ports between ${range.first} and ${range.last}`)
    const port = randomInt(range.first, range.last)
    if (!ports.has(port) && (await isFree(port))) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
