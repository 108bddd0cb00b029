import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildNode, buildPod } from '../build/nodes-and-pods.ts'
import { type Cluster, ClusterError, startCluster } from '../cluster/cluster.ts'
import { commandLineOf } from '../cluster/command-line.ts'
import { KubectlError } from '../cluster/kubectl.ts'

// Clusters of their own, since these tests break them.

describe('a cluster', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  const create = (object: object) => cluster.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(object) })
  const phaseOf = (pod: string) => cluster.kubectl(['get', 'pod', pod, '-o', 'jsonpath={.status.phase}'])

  // Before the others: a simulated kubelet that lost the API server a few times takes minutes to look again.
  test('goes on scheduling after the scheduler was frozen', async () => {
    await create(buildNode({ name: 'node' }))
    await create(buildPod({ name: 'before', namespace: 'default' }))
    await expect.poll(() => phaseOf('before'), { timeout: 40_000 }).toBe('Running')
    await cluster.stop('kube-scheduler', 'SIGSTOP')
    await create(buildPod({ name: 'meanwhile', namespace: 'default' }))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(await phaseOf('meanwhile')).toBe('Pending')
    await cluster.start('kube-scheduler')
    await expect.poll(() => phaseOf('meanwhile'), { timeout: 40_000 }).toBe('Running')
  })

  test.each([
    { component: 'kube-apiserver', signal: 'SIGTERM' },
    { component: 'kube-apiserver', signal: 'SIGKILL' },
    { component: 'etcd', signal: 'SIGTERM' },
    { component: 'etcd', signal: 'SIGKILL' },
  ] as const)(
    'keeps its data and address when $component is restarted after $signal',
    async ({ component, signal }) => {
      const name = `${component}-${signal}`.toLowerCase()
      await cluster.kubectl(['create', 'configmap', name])
      const before = cluster.pids().get(component)
      await cluster.stop(component, signal)
      expect(cluster.pids().get(component)).toBeUndefined()
      await expect(cluster.kubectl(['get', 'configmap', name, '--request-timeout=2s'])).rejects.toThrow(KubectlError)
      await cluster.start(component)
      expect(cluster.pids().get(component)).not.toBe(before)
      // After a restart of etcd the API server takes a moment to be connected again.
      const read = () => cluster.kubectl(['get', 'configmap', name, '-o', 'name']).catch(String)
      await expect.poll(read, { timeout: 20_000 }).toBe(`configmap/${name}\n`)
    },
  )

  test('has a log of each component', async () => {
    expect(await cluster.logOf('kube-scheduler')).toContain('Starting Kubernetes Scheduler')
  })
})

test('a component that does not come up is named, with the end of its log', async () => {
  const failed: unknown = await startCluster({ apiServerFlags: ['--no-such-flag'] }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ClusterError)
  expect(String(failed)).toContain('kube-apiserver ended (exit code 1)')
  expect(String(failed)).toContain('unknown flag: --no-such-flag')
})

test('starts only the components that are asked for', async () => {
  await using cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
  expect([...cluster.pids().keys()]).toEqual(['etcd', 'kube-apiserver'])
  await cluster.kubectl(['create', '-f', '-'], {
    stdin: JSON.stringify(buildPod({ name: 'pod', namespace: 'default' })),
  })
})

test('nothing is left of a cluster whose owner was killed', async () => {
  const clusterUrl = new URL('../cluster/cluster.ts', import.meta.url).href
  const script = `
    import { startCluster } from ${JSON.stringify(clusterUrl)}
    const cluster = await startCluster()
    console.log(JSON.stringify({ folder: cluster.folder, pids: [...cluster.pids().values()] }))
    setInterval(() => {}, 1_000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
  const { folder, pids } = JSON.parse(line) as { folder: string; pids: number[] }
  const running = async () => {
    const lines = await Promise.all(pids.map(commandLineOf))
    return lines.filter((commandLine) => commandLine.includes(folder)).length
  }
  expect(await running()).toBe(5)
  owner.kill('SIGKILL')
  await expect.poll(running, { timeout: 5_000 }).toBe(0)
  await expect.poll(() => existsSync(folder), { timeout: 5_000 }).toBe(false)
})
