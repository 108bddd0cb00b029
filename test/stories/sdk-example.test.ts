import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startVmEvacuator, type Hypervisor, type Migration } from '../../examples/vm-evacuator.ts'
import { evacuations } from '../../src/api/evacuation/evacuation.ts'
import { namespaces, nodes, pods } from '../../src/api/kubernetes/resources.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { podRefOf } from '../../src/api/evacuation/pod-reference.ts'
import { requestEvacuation, withdrawEvacuation } from '../../src/evacuation-client/request-evacuation.ts'
import { requestUntilGone } from '../../src/evacuation-client/request-until-gone.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { systemClock } from '../../src/runtime/system.ts'
import { openLifeboatGround } from '../build/lifeboat.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { connect } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { ownCluster } from '../real/own-cluster.ts'
import { isReal } from './tell-stories.ts'

// The example of docs/evacuators.md beside Lifeboat itself: on the real cluster, and on the embedded one.

interface World {
  readonly kube: Kube
  readonly clock: Clock
  pass(milliseconds: number): Promise<void>
}

/** Copies for a while, and waits to be told before it moves. */
class SlowHypervisor implements Hypervisor {
  readonly done: string[] = []
  #phase: Migration | undefined

  async migrationOf(): Promise<Migration | undefined> {
    if (this.#phase?.phase !== 'copying') return this.#phase
    const percent = this.#phase.percent + 50
    this.#phase = percent > 100 ? { phase: 'copied' } : { phase: 'copying', percent, secondsLeft: 1 }
    return this.#phase
  }

  async startMigration(): Promise<void> {
    this.done.push('start')
    this.#phase = { phase: 'copying', percent: 0, secondsLeft: 2 }
  }

  async switchOver(): Promise<void> {
    this.done.push('switch over')
    this.#phase = { phase: 'moved' }
  }

  async stopMigration(): Promise<void> {
    this.done.push('stop')
    this.#phase = undefined
  }
}

const instigator = 'drill.example.com'

async function tell(world: World, namespace: string): Promise<unknown> {
  const { kube, clock } = world
  const stop = new AbortController()
  const hypervisor = new SlowHypervisor()
  const running = startVmEvacuator({
    kube,
    clock,
    random: seededRandom(3),
    log: silentLog,
    hypervisor,
    signal: stop.signal,
  })
  const eventually = async <T>(what: string, read: () => Promise<T | undefined>): Promise<T> => {
    for (let waitedMs = 0; waitedMs < 90_000; waitedMs += 100) {
      const found = await read()
      if (found !== undefined) return found
      await world.pass(100)
    }
    throw new Error(`${what} did not happen`)
  }
  await kube.create(namespaces, { metadata: { name: namespace } })
  await kube.create(nodes, buildNode({ name: namespace }))
  await eventually('the node is ready', async () => {
    const { status } = await kube.get(nodes, { name: namespace })
    return status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True')
  })
  const labels = { 'vm.example.com/machine': 'm-1' }
  const spec = { nodeName: namespace, terminationGracePeriodSeconds: 1, containers: [{ name: 'vm', image: 'vm:1' }] }
  await kube.create(pods, { metadata: { name: 'vm', namespace, labels }, spec })
  const pod = await eventually('it claims the pod', async () => {
    const found = await kube.get(pods, { namespace, name: 'vm' })
    const claimed = found.metadata.annotations?.['evacuation.coordination.k8s.io/priority_vm.example.com']
    return claimed !== undefined && found.status?.phase === 'Running' ? found : undefined
  })
  const ref = { namespace, name: 'vm', uid: pod.metadata.uid }
  const isOver = async () => ((await kube.list(evacuations, { namespace })).items.length === 0 ? true : undefined)

  expect(await requestEvacuation(kube, { instigator, pod: ref })).toMatchObject({ kind: 'requested' })
  await eventually('the migration starts', async () => hypervisor.done[0])
  await withdrawEvacuation(kube, { instigator, pod: ref })
  await eventually('the first evacuation is cancelled', isOver)
  expect((await kube.get(pods, { namespace, name: 'vm' })).metadata.deletionTimestamp).toBeUndefined()

  expect(await requestEvacuation(kube, { instigator, pod: ref })).toMatchObject({ kind: 'requested' })
  await eventually('the pod leaves', async () => {
    const left = await kube.get(pods, { namespace, name: 'vm' }).catch((error: unknown) => {
      if (!isKubeError(error, 'notFound')) throw error
    })
    return left === undefined ? true : undefined
  })
  await eventually('the second evacuation is over', isOver)
  stop.abort(new Error('seen enough'))
  await running.catch(() => {})
  return hypervisor.done
}

/** An instigator that wants one pod gone, while others delete its Evacuations. */
async function tellOfDeletions(world: World, namespace: string): Promise<unknown> {
  const { kube, clock } = world
  const stop = new AbortController()
  const annotations = { 'evacuation.coordination.k8s.io/priority_patience.example.com': '100' }
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'web:1' }] }
  await kube.create(namespaces, { metadata: { name: namespace } })
  const made = await kube.create(pods, { metadata: { name: 'cart', namespace, annotations }, spec })
  const pod = podRefOf(made)
  const key = { namespace, name: evacuationName(pod) }
  const parts = { kube, clock, random: seededRandom(4), log: silentLog, signal: stop.signal }
  const asking = requestUntilGone({ ...parts, instigator, pod })
  const anotherThan = async (uid: string | undefined): Promise<string> => {
    for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 100) {
      const seen = (await kube.list(evacuations, { namespace })).items[0]?.metadata
      if (seen?.uid !== undefined && seen.uid !== uid && seen.deletionTimestamp === undefined) return seen.uid
      await world.pass(100)
    }
    throw new Error('it was not asked for again')
  }
  const uids: string[] = []
  for (let times = 0; times < 3; times++) {
    uids.push(await anotherThan(uids.at(-1)))
    await kube.delete(evacuations, key)
  }
  await anotherThan(uids.at(-1))
  await kube.delete(pods, pod)
  const state = { isSettled: false }
  const end = asking.finally(() => void (state.isSettled = true))
  while (!state.isSettled) await world.pass(100)
  return { end: await end, times: new Set(uids).size }
}

interface OpenedWorld extends AsyncDisposable {
  readonly world: World
  until<T>(promise: Promise<T>): Promise<T>
}

async function openReal(): Promise<OpenedWorld> {
  await using opening = new AsyncDisposableStack()
  const cluster = ownCluster()
  opening.use(await startLifeboat(cluster.kubeconfigPath))
  const { kube } = opening.use(await connect(cluster))
  const opened = opening.move()
  return {
    world: { kube, clock: systemClock, pass: (milliseconds: number) => pause(milliseconds) },
    until: (promise) => promise,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function openEmbedded(): Promise<OpenedWorld> {
  const ground = await openLifeboatGround()
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  const { admin: kube, clock } = ground
  return {
    world: { kube, clock, pass: (milliseconds: number) => clock.advance(milliseconds) },
    until: (promise) => ground.until(promise),
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
}

const stories = [
  {
    name: 'the machine migrates before its pod leaves',
    namespace: 'sdk-example',
    story: tell,
    expected: ['start', 'stop', 'start', 'switch over'] as unknown,
  },
  {
    name: 'an instigator asks again when others delete its Evacuation',
    namespace: 'sdk-deletions',
    story: tellOfDeletions,
    expected: { end: { kind: 'podGone' }, times: 3 } as unknown,
  },
]

test.for(stories)('$name', async ({ story, namespace, expected }) => {
  await using opened = await (isReal ? openReal() : openEmbedded())
  expect(await opened.until(story(opened.world, namespace))).toEqual(expected)
})
