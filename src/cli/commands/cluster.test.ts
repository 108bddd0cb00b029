import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { cluster } from './cluster.ts'
import { parseNodeCount, parsePort } from '../connect/settings.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-cluster-test-'))
})
afterAll(() => rm(folder, { recursive: true }))

function world() {
  const lines: string[] = []
  const printed = Promise.withResolvers<string>()
  const interrupt = Promise.withResolvers<void>()
  const print = (line: string) => {
    lines.push(line)
    const path = /^export KUBECONFIG=(.*)$/.exec(line)?.[1]
    if (path !== undefined) printed.resolve(path)
  }
  return {
    ...commandWorld(),
    lines,
    path: printed.promise,
    interrupt: interrupt.resolve,
    print,
    untilInterrupted: () => interrupt.promise,
  }
}

test.each([{ named: true }, { named: false }])(
  'it runs until it is interrupted, and takes its file along: $named',
  async ({ named }) => {
    const here = world()
    const kubeconfig = join(folder, 'kubeconfig')
    const running = cluster(here, { nodes: 2, port: 0, ...(named ? { kubeconfig } : {}) })
    const path = await here.path
    if (named) expect(path).toBe(kubeconfig)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(here.lines[0]).toMatch(/^Kubernetes is up at https:\/\/127\.0\.0\.1:\d+ with 2 nodes/)
    expect(await readFile(path, 'utf8')).toContain('current-context: lifeboat')
    expect(here.lines.join('\n')).toContain('kubectl label node NAME lifeboat.test/silent=true')
    here.interrupt()
    await running
    await expect(stat(path)).rejects.toThrow('ENOENT')
  },
)

test('a kubeconfig of somebody else is not written over, one of ours is', async () => {
  const kubeconfig = join(folder, 'mine')
  await writeFile(kubeconfig, 'clusters: [{ name: production }]\n')
  await expect(cluster(world(), { nodes: 0, port: 0, kubeconfig })).rejects.toThrow('is not a kubeconfig of an earlier')
  expect(await readFile(kubeconfig, 'utf8')).toContain('production')
  await writeFile(kubeconfig, 'clusters: [{ name: lifeboat }]\n')
  const here = world()
  here.interrupt()
  await cluster(here, { nodes: 0, port: 0, kubeconfig })
})

test.each(['-1', '1.5', 'x', '', '5001'])('%s is not a number of nodes', (text) => {
  expect(() => parseNodeCount(text)).toThrow('from 0 to 5000')
})

test('numbers are read as numbers', () => {
  expect(parseNodeCount('20')).toBe(20)
  expect(parsePort('65535')).toBe(65_535)
  expect(() => parsePort('65536')).toThrow('65535')
})
