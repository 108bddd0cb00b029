import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evacuations, type Evacuation } from '../../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { namespaces, nodes, podDisruptionBudgets, pods } from '../../src/api/kubernetes/resources.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { connect, type Connection } from '../cluster/connect.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

// Lifeboat as a process of its own, met by kubectl and by SIGKILL.

const cluster = ownCluster()
const namespace = 'evacuation-process'
const evacuatorClass = 'ship.example.com'
const annotation = `evacuation.coordination.k8s.io/priority_${evacuatorClass}`
let connection: Connection
let kube: Kube

beforeAll(async () => {
  connection = await connect(cluster)
  kube = connection.kube
  await kube.create(namespaces, { metadata: { name: namespace } })
})
afterAll(async () => {
  await kube.delete(namespaces, { name: namespace })
  await connection[Symbol.asyncDispose]()
})

/** Its simulated kubelet takes no notice of pods that were there before it. */
async function createNode(name: string): Promise<void> {
  await kube.create(nodes, buildNode({ name }))
  await eventually(`node ${name} is ready`, async () => {
    const { status } = await kube.get(nodes, { name })
    return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')
      ? true
      : undefined
  })
}

async function createPod(name: string, nodeName: string, extra: Partial<Pod['metadata']> = {}): Promise<Pod> {
  const spec = { nodeName, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] }
  await kube.create(pods, { metadata: { name, namespace, labels: { app: name }, ...extra }, spec })
  return eventually(`${name} runs`, async () => {
    const pod = await kube.get(pods, { namespace, name })
    return pod.status?.phase === 'Running' ? pod : undefined
  })
}

async function eventually<T>(what: string, read: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> {
  const untilMs = Date.now() + withinMs
  while (Date.now() < untilMs) {
    const found = await read()
    if (found !== undefined) return found
    await pause(50)
  }
  throw new Error(`${what}: not within ${withinMs} ms`)
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (isKubeError(error, 'notFound')) return undefined
    throw error
  })
}

const keyOf = (pod: Pod) => {
  const { name, uid } = pod.metadata
  return { namespace, name: evacuationName({ name, uid }) }
}

interface Drain {
  readonly ended: Promise<number | null>
  output(): string
  isOver(): boolean
}

function drain(node: string): Drain {
  const args = ['drain', node, '--force', '--ignore-daemonsets', '--timeout=60s']
  const child = spawn(cluster.kubectlPath, args, { env: { ...process.env, KUBECONFIG: cluster.kubeconfigPath } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'close').then(() => child.exitCode)
  return { ended, output: () => output, isOver: () => child.exitCode !== null }
}

describe('plain kubectl drain', () => {
  test('waits for the evacuator of an annotated pod, and succeeds when that is done', async () => {
    await using _lifeboat = await startLifeboat(cluster.kubeconfigPath)
    await createNode('drained-1')
    const pod = await createPod('ship', 'drained-1', { annotations: { [annotation]: '11000' } })
    const plain = await createPod('plain', 'drained-1')
    const draining = drain('drained-1')
    const evacuation = await eventually('an Evacuation is made', () => unlessGone(kube.get(evacuations, keyOf(pod))))
    expect(evacuation.spec.evacuators).toEqual([{ evacuatorClass, priority: 11_000 }])
    await eventually('it is the turn of the evacuator', async () => {
      const { status } = await kube.get(evacuations, keyOf(pod))
      return status?.activeEvacuatorClass === evacuatorClass ? status : undefined
    })
    const message = 'the cargo is being moved'
    await report(pod, { evacuationProgressTimestamp: new Date().toISOString(), message })
    await pause(6_000)
    expect(draining.isOver()).toBe(false)
    expect((await kube.get(pods, { namespace, name: 'ship' })).metadata.deletionTimestamp).toBeUndefined()
    expect(await unlessGone(kube.get(pods, { namespace, name: plain.metadata.name }))).toBeUndefined()
    await report(pod, { activeEvacuatorCompleted: true })
    expect({ code: await draining.ended, output: draining.output() }).toMatchObject({ code: 0 })
    expect(draining.output()).toContain(`Eviction triggered evacuation ${namespace}/${keyOf(pod).name}`)
    expect(draining.output()).toContain('NodeMaintenance')
    await eventually('the Evacuation goes', async () =>
      (await unlessGone(kube.get(evacuations, keyOf(pod)))) ? undefined : true,
    )
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('works as before with Lifeboat ended by %s', async (signal) => {
    const node = `drained-by-${signal.toLowerCase()}`
    const lifeboat = await startLifeboat(cluster.kubeconfigPath)
    await createNode(node)
    await createPod(node, node, { annotations: { [annotation]: '11000' } })
    await lifeboat.end(signal)
    const draining = drain(node)
    expect({ code: await draining.ended, output: draining.output() }).toMatchObject({ code: 0 })
    expect(draining.output()).not.toContain('triggered evacuation')
  })
})

async function report(pod: Pod, status: object): Promise<void> {
  await kube.patch(evacuations, keyOf(pod), { type: 'merge', body: { status } }, { subresource: 'status' })
}

async function evacuate(pod: Pod): Promise<void> {
  const { name, uid } = pod.metadata
  const finalizers = [instigatorFinalizer('drill.example.com')]
  await kube.create(evacuations, {
    metadata: { ...keyOf(pod), finalizers },
    spec: { podRef: { name, uid }, progressDeadlineSeconds: 600 },
  })
}

describe('an evacuator of another party', () => {
  test('reports while Lifeboat is dead and its webhooks are out of reach, and is not called silent for that time', async () => {
    const lifeboat = await startLifeboat(cluster.kubeconfigPath)
    await createNode('silent-1')
    const pod = await createPod('silent', 'silent-1', { annotations: { [annotation]: '11000' } })
    await evacuate(pod)
    const isItsTurn = () =>
      eventually('it is the turn of the evacuator', async () => {
        const { status } = await kube.get(evacuations, keyOf(pod))
        return status?.activeEvacuatorClass === evacuatorClass ? status : undefined
      })
    await isItsTurn()
    await lifeboat.end('SIGKILL')
    // The webhook configurations are still there, and nothing answers behind them.
    await report(pod, { message: 'the cargo is being moved' })
    // As if it had been longer than the deadline: the API server has no clock of ours.
    const longAgo = new Date(Date.now() - 11 * 60_000).toISOString()
    await report(pod, { evacuationProgressTimestamp: longAgo })
    await using next = await startLifeboat(cluster.kubeconfigPath)
    await pause(5_000)
    expect(await isItsTurn()).toMatchObject({ message: 'the cargo is being moved', activeEvacuatorCompleted: false })
    expect((await kube.get(pods, { namespace, name: 'silent' })).metadata.deletionTimestamp).toBeUndefined()
    await report(pod, { activeEvacuatorCompleted: true })
    await eventually('the Evacuation goes', async () =>
      (await unlessGone(kube.get(evacuations, keyOf(pod)))) ? undefined : true,
    )
    await next.end('SIGTERM')
  })
})

describe('killed again and again', () => {
  /** After how many changes to Evacuations each life of Lifeboat ends. */
  const lives = [1, 3, 5]

  test('comes to the same end as without', async () => {
    await createNode('killed-1')
    const plain = await Promise.all(['a', 'b', 'c'].map((name) => createPod(`plain-${name}`, 'killed-1')))
    const shipped = await Promise.all(
      ['a', 'b'].map((name) => createPod(`shipped-${name}`, 'killed-1', { annotations: { [annotation]: '11000' } })),
    )
    const blocked = await createPod('blocked', 'killed-1')
    const withdrawn = await createPod('withdrawn', 'killed-1', { annotations: { [annotation]: '11000' } })
    const selector = { matchLabels: { app: 'blocked' } }
    await kube.create(podDisruptionBudgets, {
      metadata: { name: 'blocked', namespace },
      spec: { minAvailable: 1, selector },
    })

    let lifeboat: LifeboatProcess = await startLifeboat(cluster.kubeconfigPath)
    await using _last = { [Symbol.asyncDispose]: () => lifeboat[Symbol.asyncDispose]() }
    const all = [...plain, ...shipped, blocked, withdrawn]
    const stop = new AbortController()
    const acting = playEvacuator(shipped, stop.signal)
    const { resourceVersion } = await kube.list(evacuations, { namespace })
    const changes = kube.watch(evacuations, { namespace, resourceVersion, timeoutSeconds: 300, signal: stop.signal })
    const creating = Promise.all(all.map(evacuate))
    for (const life of lives) {
      for (let seen = 0; seen < life;) {
        const { value } = await changes.next()
        // That one is there is not Lifeboat's doing; all that becomes of it is.
        if (value !== undefined && value.kind !== 'added') seen++
      }
      await lifeboat.end('SIGKILL')
      await creating
      lifeboat = await startLifeboat(cluster.kubeconfigPath)
    }
    await kube.delete(podDisruptionBudgets, { namespace, name: 'blocked' })
    await kube.patch(evacuations, keyOf(withdrawn), { type: 'merge', body: { metadata: { finalizers: [] } } })
    const left = await eventually('every Evacuation goes', async () => {
      const { items } = await kube.list(evacuations, { namespace })
      return items.length === 0 ? await kube.list(pods, { namespace }) : undefined
    })
    stop.abort(new Error('seen enough'))
    await acting.catch(() => {})
    expect(left.items.map(({ metadata }) => metadata.name)).toEqual(['withdrawn'])
    expect(left.items[0]?.metadata.annotations).toEqual({ [annotation]: '11000' })
  })

  /** Completes whatever is its turn. */
  async function playEvacuator(mine: readonly Pod[], signal: AbortSignal): Promise<void> {
    const names = new Set(mine.map((pod) => keyOf(pod).name))
    while (!signal.aborted) {
      const { items } = await kube.list(evacuations, { namespace, signal })
      const turns = items.filter(({ metadata, status }) => names.has(metadata.name) && isItsTurn(status))
      for (const { metadata } of turns) {
        const key = { namespace, name: metadata.name }
        const body = { status: { activeEvacuatorCompleted: true } }
        // Another life of Lifeboat may have given the turn away.
        await kube.patch(evacuations, key, { type: 'merge', body }, { subresource: 'status' }).catch(() => {})
      }
      await pause(200, undefined, { signal })
    }
  }

  function isItsTurn(status: Evacuation['status']): boolean {
    return status?.activeEvacuatorClass === evacuatorClass && !status.activeEvacuatorCompleted
  }
})
