import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildDeployment } from '../../../test/build/nodes-and-pods.ts'
import { commandWorld, openServedCluster, type ServedCluster } from '../../../test/build/served-cluster.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { runProgram } from '../program.ts'

let served: ServedCluster
let folder: string

beforeAll(async () => {
  served = await openServedCluster({ nodes: 2 })
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-descheduler-'))
  await served.admin.create(deployments, buildDeployment({ name: 'web', namespace: 'default', replicas: 3 }))
  await vi.waitFor(
    async () => {
      if ((await runningPods()).length < 3) throw new Error('not all of them run')
    },
    { timeout: 10_000 },
  )
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await served[Symbol.asyncDispose]()
})

let world = commandWorld()
beforeEach(() => {
  world = commandWorld()
})

async function runningPods() {
  const { items } = await served.admin.list(pods, { namespace: 'default' })
  return items.filter(({ status }) => status?.phase === 'Running')
}

const policy = (more = '') => `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
${more}
profiles:
  - name: everybody
    pluginConfig: [{ name: PodLifeTime, args: { states: [Running] } }]
    plugins: { deschedule: { enabled: [PodLifeTime] } }
`

async function run(text: string, ...flags: readonly string[]): Promise<number> {
  const file = join(folder, 'policy.yaml')
  await writeFile(file, text)
  return runProgram(world, [
    'descheduler',
    '--policy-config-file',
    file,
    '--kubeconfig',
    served.kubeconfig,
    '--log-level',
    'error',
    ...flags,
  ])
}

test('a dry run reports, and changes nothing', async () => {
  const before = await runningPods()
  expect(await run(policy('maxNoOfPodsToEvictTotal: 2'), '--dry-run')).toBe(0)
  expect(world.lines[0]).toBe('everybody/PodLifeTime: 2 pods would go, 1 stopped by a limit')
  expect(world.lines.at(-1)).toMatch(/^In all: 2 pods would go from \d nodes?, 1 stopped by a limit$/)
  const uids = (list: typeof before) => new Set(list.map(({ metadata }) => metadata.uid))
  expect(uids(await runningPods())).toEqual(uids(before))
})

test('for programs it is JSON, with the pods in the order in which they go', async () => {
  expect(await run(policy(), '--dry-run', '-o', 'json')).toBe(0)
  const { evictions } = JSON.parse(world.lines.join('\n')) as { evictions: Record<string, string>[] }
  expect(evictions).toHaveLength(3)
  expect(Object.keys(evictions[0] ?? {})).toEqual(['namespace', 'name', 'node', 'strategy', 'profile'])
})

test('all that is wrong with a policy is told at once, and nothing is sent', async () => {
  const text = policy('maxNoOfPodsToEvictTotal: -1').replaceAll('enabled: [PodLifeTime]', 'enabled: [PodLiveTime]')
  expect(await run(text)).toBe(2)
  expect(world.errors[0]).toMatch(/policy\.yaml: the policy has 2 problems\n/)
  expect(world.errors[0]).toContain('did you mean PodLifeTime?')
  expect(world.errors[0]).toContain('maxNoOfPodsToEvictTotal is -1: must be a whole number of at least 0')
})

test('what has no effect is told as a warning', async () => {
  expect(await run(policy('maxPods: 7'), '--dry-run')).toBe(0)
  expect(world.errors[0]).toMatch(/^warning: .*policy\.yaml: .*maxPods/)
})

test('a cluster without Lifeboat takes evictions, and says so', async () => {
  expect(await run(policy())).toBe(2)
  expect(world.errors[0]).toContain('this cluster has no Evacuations: install Lifeboat')
})

test('outside of its window a policy is not followed', async () => {
  const inTwoHours = new Date(Date.now() + 2 * 3_600_000).toISOString().slice(11, 16)
  const inThreeHours = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(11, 16)
  const window = `lifeboat: { window: { from: "${inTwoHours}", to: "${inThreeHours}" } }`
  expect(await run(policy(window), '--dry-run')).toBe(0)
  expect(world.lines).toEqual([
    expect.stringMatching(/^The cycle was skipped: it is outside of the window of the policy, which opens at 20/),
  ])
})

test('a policy that is not there is named', async () => {
  const flags = ['--policy-config-file', join(folder, 'missing.yaml'), '--kubeconfig', served.kubeconfig]
  expect(await runProgram(world, ['descheduler', ...flags])).toBe(2)
  expect(world.errors[0]).toMatch(/^lifeboat: cannot read the policy: ENOENT.*missing\.yaml/)
})

test('at an interval it evicts, serves its metrics, and ends when it is told to', async () => {
  const before = new Set((await runningPods()).map(({ metadata }) => metadata.uid))
  const limited = policy('maxNoOfPodsToEvictTotal: 1')
  const flags = ['--mode', 'evict', '--descheduling-interval', '1h', '--leader-elect', '--namespace', 'default']
  const running = run(limited, ...flags, '--listen', '127.0.0.1:0')
  expect(await world.ready).toMatch(/^ready on Kubernetes v1\./)
  const left = async () => {
    const now = new Set((await runningPods()).map(({ metadata }) => metadata.uid))
    return [...before].filter((uid) => !now.has(uid)).length
  }
  await expect.poll(left, { timeout: 20_000 }).toBe(1)
  world.interrupt()
  expect(await running).toBe(0)
})

test('at an interval a dry run prints a whole report in each line, if it is asked to, and each is like the first', async () => {
  const running = run(policy(), '--dry-run', '-o', 'json', '--descheduling-interval', '1s')
  await expect.poll(() => world.lines.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2)
  for (const line of world.lines) {
    const { evictions, alreadyLeaving } = JSON.parse(line) as Record<string, object[]>
    expect([evictions?.length, alreadyLeaving?.length]).toEqual([3, 0])
  }
  world.interrupt()
  expect(await running).toBe(0)
})
