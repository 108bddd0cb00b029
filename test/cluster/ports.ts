import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// Below the range from which systems hand out ports to outgoing connections: a component that is down for a while must
// find its port still free when it comes back. Several processes start clusters at the same time, and a port that is
// free now may be another's in a moment. So a process takes blocks of ports: listening on the first one claims the rest,
// until the process ends.
const range = { first: 20_000, last: 32_000 }
const blockSize = 32
const triesMax = 1_000

/** Claimed by this process, and not handed out yet. */
const claimed: number[] = []

/** Different ports on loopback that nothing listens on, each handed out once. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = claimed.shift()
    if (port === undefined) claimed.push(...(await claimBlock()))
    else if (await isFree(port)) ports.push(port)
  }
  return ports
}

async function claimBlock(): Promise<number[]> {
  for (let tries = 0; tries < triesMax; tries++) {
    const first = range.first + blockSize * randomInt((range.last - range.first) / blockSize)
    const guard = await listenOn(first)
    if (guard === undefined) continue
    // It goes with the process.
    guard.unref()
    return Array.from({ length: blockSize - 1 }, (_, index) => first + 1 + index)
  }
  throw new Error(`no free ports between ${range.first} and ${range.last}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port)
  if (server === undefined) return false
  server.close()
  await once(server, 'close')
  return true
}

/** Undefined: another listens there. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
