import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findFreePorts } from './ports.ts'

test('a port is handed out once, also to those who ask at the same time', async () => {
  const asked = await Promise.all(Array.from({ length: 10 }, () => findFreePorts(6)))
  expect(new Set(asked.flat()).size).toBe(60)
})

test('another process gets other ports, even while nothing listens on these', async () => {
  const own = await findFreePorts(20)
  const script = `import { findFreePorts } from '${import.meta.dirname}/ports.ts'
    console.log(JSON.stringify(await findFreePorts(20)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script])
  const others = JSON.parse(stdout) as number[]
  expect(others).toHaveLength(20)
  const blockOf = (port: number) => Math.floor((port - 20_000) / 32)
  const ownBlocks = new Set(own.map(blockOf))
  // Blocks are drawn: that another process drew others proves little, that it could not take these does.
  for (const block of ownBlocks) {
    const taker = createServer().listen(20_000 + block * 32, '127.0.0.1')
    await expect(once(taker, 'listening')).rejects.toThrow('EADDRINUSE')
  }
  expect(others.map(blockOf).filter((block) => ownBlocks.has(block))).toEqual([])
})

test('a port that something listens on is left out', async () => {
  const [first = 0] = await findFreePorts(1)
  // The next one of the same block.
  await using server = createServer().listen(first + 1, '127.0.0.1')
  await once(server, 'listening')
  expect(await findFreePorts(1)).not.toContain(first + 1)
})
