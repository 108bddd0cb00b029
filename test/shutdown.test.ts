import { describe, expect, test } from 'vitest'
import { evacuations } from '../src/api/evacuation/evacuation.ts'
import { daemonSets, namespaces, nodes, pods, priorityClasses } from '../src/api/kubernetes/resources.ts'
import { nodeMaintenances } from '../src/api/maintenance/node-maintenance.ts'
import { kubeletFolder } from '../src/cli/demo/played-folder.ts'
import { explain } from '../src/cli/why/explain.ts'
import { lookAtNode } from '../src/cli/why/look.ts'
import { unlessNotFound } from '../src/kube/client/errors.ts'
import type { TransportRequest } from '../src/kube/client/transport.ts'
import { planOfPriorities } from '../src/maintenance/shutdown/shutdown-settings.ts'
import { installation } from '../src/manager/install/installation-names.ts'
import { uninstall } from '../src/manager/install/uninstall.ts'
import { openLifeboatGround, type LifeboatGround, type ManagerChoices } from './build/lifeboat.ts'
import { eventsOf, maintain, nodeState, noting, selectNodes } from './build/maintenance.ts'
import { manifestOf } from './build/memory-folder.ts'
import { startNodeAgent } from './build/node-agent.ts'
import { PlayedAgent } from './build/played-agent.ts'

// What KEP-4212 says of Graceful Node Shutdown, sentence by sentence, on a whole Lifeboat in virtual time. The agent on
// the node is played: a test says what logind would tell it.

const namespace = 'shop'
const name = 'shutdown-node-1'
const first = { id: 'first' }
const keeper = ['example.com/keeper']

async function open(choices: ManagerChoices = {}) {
  const ground = await openLifeboatGround({ nodes: 2 })
  await ground.until(ground.admin.create(namespaces, { metadata: { name: namespace } }))
  const opened = await ground.open(choices)
  await ground.until(opened.manager.ready())
  const agent = new PlayedAgent(ground, 'node-1')
  await agent.boots('boot-1')
  return { ground, opened, agent }
}

interface PodChoices {
  readonly finalizers?: readonly string[]
  readonly priorityClassName?: string
  readonly labels?: Record<string, string>
}

async function put(ground: LifeboatGround, pod: string, { finalizers = [], labels = {}, ...spec }: PodChoices = {}) {
  const containers = [{ name: 'main', image: 'web:1' }]
  await ground.until(
    ground.admin.create(pods, {
      metadata: { namespace, name: pod, finalizers: [...finalizers], labels },
      spec: { nodeName: 'node-1', containers, terminationGracePeriodSeconds: 1, ...spec },
    }),
  )
  await ground.pass(3_000)
}

const letGo = (ground: LifeboatGround, pod: string) =>
  ground.until(
    ground.admin.patch(pods, { namespace, name: pod }, { type: 'merge', body: { metadata: { finalizers: null } } }),
  )

const shutdownOf = (ground: LifeboatGround) =>
  ground.until(unlessNotFound(ground.admin.get(nodeMaintenances, { name })))

const stageOf = async (ground: LifeboatGround) => (await shutdownOf(ground))?.spec.stage

async function conditionOf(ground: LifeboatGround): Promise<string | undefined> {
  const { status } = await ground.until(ground.admin.get(nodes, { name: 'node-1' }))
  const found = status?.conditions?.find(({ type }) => type === 'GracefulNodeShutdownInProgress')
  return found === undefined ? undefined : `${found.status} ${found.reason}`
}

const podsOf = (ground: LifeboatGround) =>
  ground.cluster.store
    .list('pods')
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name)
    .toSorted()

const reasonsOf = (ground: LifeboatGround) =>
  eventsOf(ground)
    .filter(({ about, reason }) => about === 'Node node-1' && reason.startsWith('Shutdown'))
    .map(({ reason, count }) => `${reason} ${count}`)

async function reach(ground: LifeboatGround, what: string, isThere: () => Promise<boolean> | boolean): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    if (await isThere()) return
    await ground.pass(500)
  }
  throw new Error(`never: ${what}; there are ${podsOf(ground).join(', ')}`)
}

describe('KEP-4212, graceful node shutdown', () => {
  test('G1: a NodeMaintenance is made for the node whose machine goes down', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await ground.pass(5_000)
    expect(await shutdownOf(ground)).toBeUndefined()
    await agent.goesDown(first)
    await ground.pass(1_000)
    const made = await shutdownOf(ground)
    expect(made?.spec).toMatchObject({
      stage: 'Drain',
      reason: 'reboot of node node-1',
      nodeSelector: selectNodes('node-1'),
    })
    expect(await nodeState(ground, 'node-2')).toBe('schedulable')
    expect(await conditionOf(ground)).toBe('True LifeboatShutdown')
  })

  test('G2: the shutdown is blocked until all pods are gone, however long that takes', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await put(ground, 'slow', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(20 * 60_000)
    expect(await agent.mayGo()).toBeUndefined()
    await letGo(ground, 'slow')
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    expect(podsOf(ground)).toEqual([])
    expect(reasonsOf(ground)).toEqual(['ShutdownHeld 1', 'ShutdownLetGo 1'])
  })

  test('G3: the plan follows the priorities of shutdownGracePeriodByPodPriority, without its seconds', async () => {
    const shutdowns = { completeAfterReboot: false, drainPlan: planOfPriorities([0, 1_000]) }
    const { ground, agent } = await open({ shutdowns })
    await using _ground = ground
    for (const [className, value] of [
      ['low', 999],
      ['high', 1_000],
    ] as const) {
      await ground.until(ground.admin.create(priorityClasses, { metadata: { name: className }, value }))
      await put(ground, className, { finalizers: keeper, priorityClassName: className })
    }
    await agent.goesDown(first)
    await ground.pass(60_000)
    const asked = async () =>
      (await ground.until(ground.admin.list(evacuations, { namespace }))).items.map(({ spec }) => spec.podRef.name)
    expect(await asked()).toEqual(['low'])
    await letGo(ground, 'low')
    await reach(ground, 'the next group', async () => (await asked()).includes('high'))
    await letGo(ground, 'high')
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
  })

  test('G4: by default all user workloads are asked to terminate at once', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await ground.until(ground.admin.create(priorityClasses, { metadata: { name: 'high' }, value: 1_000_000 }))
    await put(ground, 'low', { finalizers: keeper })
    await put(ground, 'high', { finalizers: keeper, priorityClassName: 'high' })
    await agent.goesDown(first)
    await ground.pass(5_000)
    const { items } = await ground.until(ground.admin.list(evacuations, { namespace }))
    expect(items.map(({ spec }) => spec.podRef.name).toSorted()).toEqual(['high', 'low'])
    expect((await shutdownOf(ground))?.spec.drainPlan).toBeUndefined()
    for (const pod of ['low', 'high']) await letGo(ground, pod)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
  })

  test('G5: the object survives restarts, and an admin removes it after the reboot', async () => {
    const { ground, agent, opened } = await open()
    await using _ground = ground
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    opened.kill()
    await agent.boots('boot-2')
    await ground.pass(60_000)
    await ground.open({ identity: 'second' })
    await reach(ground, 'nothing may continue any more', async () => (await agent.mayGo()) === undefined)
    await ground.pass(30 * 60_000)
    expect(await stageOf(ground)).toBe('Drain')
    expect(await nodeState(ground, 'node-1')).toMatch(/^cordoned/)
    expect(await conditionOf(ground)).toBe('False LifeboatShutdownOver')
    await ground.until(ground.admin.delete(nodeMaintenances, { name }))
    await reach(ground, 'it is gone', async () => (await shutdownOf(ground)) === undefined)
    expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  })

  test('G6: a report that arrives late goes on with the maintenance', async () => {
    const { ground, agent, opened } = await open()
    await using _ground = ground
    await put(ground, 'web', { finalizers: keeper })
    opened.kill()
    // Nobody hears it: for the node that is as if there were no API server.
    await agent.goesDown(first)
    await ground.pass(10 * 60_000)
    expect(await shutdownOf(ground)).toBeUndefined()
    expect(await agent.mayGo()).toBeUndefined()
    await ground.open({ identity: 'second' })
    await reach(ground, 'it is drained for', async () => (await stageOf(ground)) === 'Drain')
    await letGo(ground, 'web')
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
  })

  test('G7: DaemonSet and static pods leave too, before the machine may continue', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    const labels = { app: 'logs' }
    const containers = [{ name: 'main', image: 'logs:1' }]
    await ground.until(
      ground.admin.create(daemonSets, {
        metadata: { namespace, name: 'logs' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      }),
    )
    const folder = kubeletFolder({ kube: ground.admin }, 'node-1')
    await ground.until(folder.write('proxy.yaml', manifestOf('proxy', { namespace })))
    await startNodeAgent({ ...ground, admin: agent.kube() }, 'node-1', { manifests: folder })
    const onNode = () =>
      ground.cluster.store
        .list('pods')
        .filter(({ metadata, ...pod }) => {
          const { nodeName } = (pod as { spec?: { nodeName?: string } }).spec ?? {}
          return metadata.namespace === namespace && nodeName === 'node-1'
        })
        .map(({ metadata }) => metadata.name)
    await reach(ground, 'both run', () => onNode().length === 2)
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    expect(onNode()).toEqual([])
    expect(folder.visible()).toEqual([])
    await agent.staysUp()
    await reach(ground, 'both are back', () => onNode().length === 2)
  })
})

describe('a machine', () => {
  test('that does not go down after all gets its node back', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await put(ground, 'web', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(5_000)
    await agent.staysUp()
    await reach(ground, 'it is schedulable', async () => (await nodeState(ground, 'node-1')) === 'schedulable')
    expect(await stageOf(ground)).toBe('Complete')
    expect(await conditionOf(ground)).toBe('False LifeboatShutdownOver')
    expect(reasonsOf(ground)).toEqual(['ShutdownHeld 1', 'ShutdownCancelled 1'])
  })

  test('that is back is given back by itself where that was asked for, once its kubelet says so', async () => {
    const { ground, agent } = await open({ shutdowns: { completeAfterReboot: true, drainPlan: [] } })
    await using _ground = ground
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    await agent.boots('boot-2', 'late')
    await ground.pass(60_000)
    expect(await stageOf(ground)).toBe('Drain')
    await agent.kubeletSays('boot-2')
    await reach(ground, 'it is schedulable', async () => (await nodeState(ground, 'node-1')) === 'schedulable')
    expect(reasonsOf(ground)).toEqual(['ShutdownHeld 1', 'ShutdownLetGo 1', 'ShutdownOver 1'])
  })

  test('may continue when an admin deletes the maintenance before the node is drained; nobody makes another', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await put(ground, 'web', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(5_000)
    await ground.until(ground.admin.delete(nodeMaintenances, { name }))
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    await reach(ground, 'it is gone', async () => (await shutdownOf(ground)) === undefined)
    await ground.pass(60_000)
    expect(await shutdownOf(ground)).toBeUndefined()
    expect(await conditionOf(ground)).toBe('True LifeboatShutdown')
    await agent.boots('boot-2')
    await reach(ground, 'all is over', async () => (await agent.mayGo()) === undefined)
    expect(await conditionOf(ground)).toBe('False LifeboatShutdownOver')
  })

  test('that waits says what holds it, and how long logind waits at most', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    const why = async () => {
      const view = await ground.until(lookAtNode(ground.admin, 'node-1'))
      if (view === undefined) throw new Error('there is a node')
      return explain(view, ground.clock.nowMs())
    }
    expect((await why()).node?.shutdown).toBeUndefined()
    await put(ground, 'web', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(10 * 60_000)
    const { node, pods: waiting } = await why()
    expect(node?.state).toBe('Draining')
    expect(node?.shutdown).toMatchObject({ state: 'Draining', mode: 'Prefer' })
    expect(node?.shutdown?.next).toMatch(/logind waits at most (20m|19m\d+s) longer$/)
    expect(waiting.map((pod) => `${pod.namespace}/${pod.name} ${pod.phase}`)).toEqual(['shop/web Blocked'])
    await letGo(ground, 'web')
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    expect((await why()).node?.shutdown?.state).toBe('Released')
    await agent.boots('boot-2')
    await reach(ground, 'it is back', async () => (await agent.mayGo()) === undefined)
    expect((await why()).node?.shutdown).toMatchObject({ state: 'Over', commands: [`lifeboat complete ${name}`] })
  })

  test('that is gone for good takes its maintenance along with its node', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    await ground.until(ground.admin.delete(nodes, { name: 'node-1' }))
    await reach(ground, 'both are gone', async () => (await shutdownOf(ground)) === undefined)
  })

  test('is not drained for while somebody else has the name, which is told once', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await maintain(ground, name, selectNodes('node-2'), { stage: 'Idle' })
    await agent.goesDown(first)
    await ground.pass(60_000)
    await agent.goesDown({ ...first, action: 'poweroff' })
    await ground.pass(60_000)
    expect(reasonsOf(ground)).toEqual(['ShutdownNotDrained 1'])
    expect([await stageOf(ground), await agent.mayGo()]).toEqual(['Idle', undefined])
    await ground.until(ground.admin.delete(nodeMaintenances, { name }))
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
  })

  test("whose kubelet writes the condition itself keeps the kubelet's", async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    const own = { type: 'GracefulNodeShutdownInProgress', status: 'True', reason: 'KubeletShuttingDown' }
    const patch = { type: 'strategic', body: { status: { conditions: [own] } } } as const
    await ground.until(ground.admin.patch(nodes, { name: 'node-1' }, patch, { subresource: 'status' }))
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    await agent.staysUp()
    await reach(ground, 'it is over', async () => (await stageOf(ground)) === 'Complete')
    expect(await conditionOf(ground)).toBe('True KubeletShuttingDown')
  })

  test('that says nothing of shutdowns is left alone, and its maintenance too', async () => {
    const { ground, agent } = await open()
    await using _ground = ground
    await agent.goesDown(first)
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
    // An agent that looks after static pods alone comes in its place.
    const folder = kubeletFolder({ kube: ground.admin }, 'node-1')
    await startNodeAgent(ground, 'node-1', { manifests: folder })
    await ground.pass(60_000)
    expect([await stageOf(ground), await agent.mayGo()]).toEqual(['Drain', 'first'])
  })

  test('with the gate off from then on is not held any more', async () => {
    const { ground, agent, opened } = await open()
    await using _ground = ground
    await put(ground, 'web', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(5_000)
    expect(await agent.mayGo()).toBeUndefined()
    opened.kill()
    await ground.pass(60_000)
    await ground.open({ identity: 'second', gates: { DeclarativeNodeMaintenance: false } })
    await reach(ground, 'it may continue', async () => (await agent.mayGo()) === 'first')
  })

  test('that Lifeboat is uninstalled from half way is not held any more', async () => {
    const { ground, agent, opened } = await open()
    await using _ground = ground
    await put(ground, 'web', { finalizers: keeper })
    await agent.goesDown(first)
    await ground.pass(5_000)
    await ground.stop(opened)
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    // As Helm does it: the mailboxes stay until the agents are gone.
    const options = { namespace: installation.namespace, force: true, releaseOnly: true, print }
    await ground.until(uninstall({ kube: ground.admin, clock: ground.clock }, options), 300_000)
    expect(await agent.mayGo()).toBe('first')
    expect(lines).toContain('let 1 shutdown continue')
    expect(await conditionOf(ground)).toBe('False LifeboatShutdownOver')
    expect(await shutdownOf(ground)).toBeUndefined()
  })

  test('that does not go down costs no request', async () => {
    const requests: TransportRequest[] = []
    const { ground, agent } = await open({ wrap: noting(requests) })
    await using _ground = ground
    await ground.pass(5_000)
    requests.length = 0
    await agent.staysUp()
    await agent.boots('boot-2')
    await ground.pass(60_000)
    const others = requests.filter(
      ({ path, query }) => query?.['watch'] === undefined && !path.endsWith(`/leases/${installation.lease}`),
    )
    expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })
})
