import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'

// The demo as people start it, in a process of its own and in real time. What it says is tested beside its sources, in
// virtual time.

const command = join(import.meta.dirname, '../bin/lifeboat')
/** It takes some twelve seconds; a busy machine may take its time. */
const limitMs = 110_000

function startDemo(...flags: readonly string[]) {
  // In a group of its own, so that whatever it leaves behind can be found.
  const child = spawn(command, ['demo', ...flags], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    output,
    ended,
    interrupt: () => child.kill('SIGINT'),
    /** Whether a process of it is there. */
    isAlive: () => {
      try {
        return child.pid !== undefined && process.kill(-child.pid, 0)
      } catch {
        return false
      }
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  }
}

function cellsOf(text: string, name: string): string[] {
  const line = text.split('\n').find((each) => each.startsWith(`${name}   `)) ?? ''
  return line.split(/ {2,}/)
}

test.concurrent('piped, it prints plain lines and exits with 0', { timeout: limitMs }, async () => {
  using demo = startDemo()
  expect(await demo.ended).toBe(0)
  const { stdout, stderr } = demo.output
  expect(stderr).toBe('')
  // oxlint-disable-next-line no-control-regex
  expect(stdout).toMatch(/^[^\u0000-\u0009\u000B-\u001F\u007F-\u009F]*$/)
  expect(stdout).toContain('A cluster of 12 nodes in 3 zones with 60 pods is up')
  for (const app of ['checkout', 'cart', 'web']) {
    const [, , today = '', lifeboat] = cellsOf(stdout, app)
    expect({ app, today: Number.parseFloat(today) > 0, lifeboat }).toEqual({ app, today: true, lifeboat: '0 s' })
  }
  for (const app of ['search', 'worker', 'dns', 'orders']) expect([app, cellsOf(stdout, app)[3]]).toEqual([app, '0 s'])
  const [, refusedToday, refusedByLifeboat] = cellsOf(stdout, 'of these refused')
  expect(Number(refusedToday)).toBeGreaterThanOrEqual(6)
  expect(refusedByLifeboat).toBe('0')
  expect(stdout).toContain('$ lifeboat why node-')
  expect(stdout).toContain('What to try next')
})

test.concurrent('of static pods, it shows them leave, wait for etcd and come back', { timeout: limitMs }, async () => {
  using demo = startDemo('--static-pods')
  expect(await demo.ended).toBe(0)
  const { stdout, stderr } = demo.output
  expect(stderr).toBe('')
  expect(stdout).toContain('kube-system/etcd-node-2 must stay on node-2')
  expect(cellsOf(stdout, 'etcd')).toEqual(['etcd', '2', '0 s'])
  expect(stdout).toContain('8 static pods left and came back; all run by the manifests that they had.')
  expect(demo.isAlive()).toBe(false)
})

test.concurrent.each(['Lifeboat takes nodes out', '1. What drains do today', '$ lifeboat why'])(
  'Ctrl-C at "%s" leaves no process behind',
  { timeout: limitMs },
  async (moment) => {
    using demo = startDemo()
    while (!demo.output.stdout.includes(moment)) await Promise.race([pause(20), demo.ended.then(failed)])
    demo.interrupt()
    expect(await demo.ended).toBe(130)
    expect(demo.output.stderr).toMatch(/^lifeboat: interrupted\n/)
    expect(demo.isAlive()).toBe(false)
  },
)

function failed(code: number | null): never {
  throw new Error(`the demo ended with ${code} before that`)
}
