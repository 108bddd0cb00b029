import { annotationsFor, behaviourAnnotations } from '../build/nodes-and-pods.ts'
import {
  arrangeBudget,
  becomes as evacuationBecomes,
  budget,
  evacuationsPath,
  look,
  pathOf,
  podsPath,
  report,
  type PodKey,
} from './lifeboat-world.ts'
import {
  announce,
  arrangeMachines,
  becomes,
  classOfHeld,
  evacuationsOf,
  held,
  ownFinalizer,
  put,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { isReady, merge, paths, podsOf, template, type PodSeen } from './workload-world.ts'

// Evacuations that disappear in the middle of a drain, in every way that people make things disappear.

const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const releasedLabel = 'evacuation.coordination.k8s.io/released'
const definitionPath =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/evacuations.evacuation.coordination.k8s.io'

/** As kubectl delete does, which waits for nothing here. */
async function deleteEvacuation(world: MaintenanceWorld, pod: PodKey): Promise<void> {
  const before = await look(world, pod)
  await world.attempt('DELETE', pathOf(pod), {})
  await world.eventually(
    'there is another Evacuation that the drain asks for',
    () => look(world, pod),
    (seen) =>
      seen !== undefined &&
      seen.metadata.uid !== before?.metadata.uid &&
      seen.metadata.deletionTimestamp === undefined &&
      seen.metadata.finalizers?.includes(ownFinalizer) === true,
  )
  world.observe('the drain has asked again', true)
}

async function isDrained(world: MaintenanceWorld): Promise<void> {
  await becomes(world, 'it is drained', { nodes: { one: drained } })
  await world.eventually(
    'no Evacuation is left',
    () => evacuationsOf(world),
    (found) => found.length === 0,
  )
}

/** No trace of Lifeboat is on the pods of the story, or none of those that begin like this. */
async function areWithoutTraces(world: MaintenanceWorld, prefix = 'evacuation.coordination.k8s.io/'): Promise<void> {
  const tracesOn = ({ metadata }: PodSeen) =>
    Object.keys({ ...metadata.labels, ...(metadata as { annotations?: object }).annotations }).filter((key) =>
      key.startsWith(prefix),
    )
  await world.eventually(
    'the pods bear no trace',
    async () => (await podsOf(world)).flatMap(tracesOn),
    (traces) => traces.length === 0,
  )
  world.observe('the pods bear no trace', true)
}

// An application whose replacements do not get ready before the story lets them.

const unready = annotationsFor({ neverReady: true })
const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }

/** Deployments `app-0` and so on, all of whose pods are on node one and ready, and no replacement will be. */
async function arrangeApps(world: MaintenanceWorld, count: number, replicas: number): Promise<readonly PodSeen[]> {
  await arrangeMachines(world, ['one'])
  for (let at = 0; at < count; at++) {
    const labels = { app: `app-${at}`, kind: 'web' }
    const { spec } = template(world, { spec: { terminationGracePeriodSeconds: 1 } }) as { spec: object }
    await world.arrange('POST', paths.deployments, {
      metadata: { name: `app-${at}`, namespace: 'NS' },
      spec: {
        replicas,
        strategy,
        selector: { matchLabels: { app: `app-${at}` } },
        template: { metadata: { labels, annotations: unready }, spec },
      },
    })
  }
  await world.eventually(
    'all pods are there',
    async () => (await podsOf(world)).length,
    (found) => found === count * replicas,
  )
  await heal(world)
  const pods = await world.eventually(
    'all pods are ready',
    () => podsOf(world),
    (found) => found.every(isReady),
  )
  const selector = { matchLabels: { kind: 'web' } }
  await arrangeBudget(
    world,
    'all',
    { ...budget('all', {}), selector, minAvailable: pods.length },
    {
      currentHealthy: pods.length,
    },
  )
  await arrangeMachines(world, ['two'])
  return pods
}

/** Pods that wait get ready; those that come later do not. */
async function heal(world: MaintenanceWorld): Promise<void> {
  const body = { metadata: { annotations: { [behaviourAnnotations.neverReady]: null } } }
  for (const { metadata } of (await podsOf(world)).filter((pod) => !isReady(pod))) {
    await world.attempt('PATCH', `${podsPath}/${metadata.name}`, body, merge)
  }
}

async function areReleased(world: MaintenanceWorld, count: number): Promise<void> {
  await world.eventually(
    `${count} pods are released`,
    async () => (await podsOf(world)).filter(({ metadata }) => metadata.labels?.[releasedLabel] !== undefined).length,
    (found) => found >= count,
  )
}

/** Goes on letting replacements get ready until the node is empty. */
async function untilDrained(world: MaintenanceWorld, count: number): Promise<void> {
  await world.eventually(
    'every application runs elsewhere',
    async () => {
      await heal(world)
      return (await podsOf(world)).filter((pod) => isReady(pod) && pod.spec.nodeName?.endsWith('-two')).length
    },
    (found) => found === count,
  )
  await isDrained(world)
  await areWithoutTraces(world)
}

/** Nothing falls below what it wants, and these pods go only through an accepted eviction. */
async function guarded(world: MaintenanceWorld, pods: readonly PodSeen[], story: () => Promise<void>): Promise<void> {
  const departures = await world.sampleDepartures()
  await neverBelow(world, pods, story)
  const gone = departures.withoutEviction(new Set(pods.map(({ metadata }) => metadata.uid)))
  if (gone.length > 0) throw new Error(`went without an accepted eviction: ${gone.join(', ')}`)
  world.observe('nobody went without an accepted eviction', pods.length)
}

async function neverBelow(
  world: MaintenanceWorld,
  pods: readonly PodSeen[],
  story: () => Promise<void>,
): Promise<void> {
  const readiness = await world.sampleReadiness()
  const apps = [...new Set(pods.map(({ metadata }) => metadata.labels?.['app'] ?? ''))]
  const wanted = pods.length / apps.length
  await world.eventually(
    'the sampler has seen all',
    async () => apps.filter((app) => readiness.ready(app) === wanted).length,
    (seen) => seen === apps.length,
  )
  readiness.reset()
  await story()
  const low = apps.filter((app) => readiness.lowest(app) < wanted)
  if (low.length > 0) throw new Error(`below what they want: ${low.join(', ')}`)
  world.observe('never below what they want', apps.length)
}

export const deletionScenarios: readonly MaintenanceScenario[] = [
  {
    name: 'an Evacuation that is deleted while its evacuator works is asked for again, and the drain ends',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const pod = await put(world, 'one', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'] })
      const isAtWork = () =>
        evacuationBecomes(
          world,
          pod,
          'its evacuator has its turn',
          ({ status }) => status.activeEvacuatorClass === classOfHeld,
        )
      await isAtWork()
      await deleteEvacuation(world, pod)
      await isAtWork()
      await takeAway(world, 'first')
      await isDrained(world)
    },
  },
  {
    name: 'an Evacuation that is deleted while its pod is released is undone and asked for again, and the drain ends',
    run: async (world) => {
      const pods = await arrangeApps(world, 1, 1)
      const [first] = pods as [PodSeen]
      await guarded(world, pods, async () => {
        await announce(world, 'upgrade', { nodes: ['one'] })
        await areReleased(world, 1)
        await deleteEvacuation(world, first.metadata)
        await areReleased(world, 1)
        await untilDrained(world, 1)
      })
    },
  },
  {
    name: 'an Evacuation that is deleted while its eviction is refused is asked for again, and the drain ends with the budget',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const pod = await put(world, 'one', 'web')
      await arrangeBudget(world, 'web', { minAvailable: 1 }, { currentHealthy: 1 })
      await announce(world, 'upgrade', { nodes: ['one'] })
      const isRefused = () =>
        evacuationBecomes(world, pod, 'a budget refuses it', ({ status }) => status.failedEvictionCounter > 0)
      await isRefused()
      await deleteEvacuation(world, pod)
      await isRefused()
      await world.arrange('PATCH', `${paths.budgets}/web`, { spec: { minAvailable: 0 } }, merge)
      await isDrained(world)
    },
  },
  {
    name: 'an Evacuation that is deleted after its last evacuator gives the evacuator another turn, and the drain ends',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const pod = await put(world, 'one', 'web', { annotations: held })
      await arrangeBudget(world, 'web', { minAvailable: 1 }, { currentHealthy: 1 })
      await announce(world, 'upgrade', { nodes: ['one'] })
      const complete = async () => {
        await evacuationBecomes(
          world,
          pod,
          'it has its turn',
          ({ status }) => status.activeEvacuatorClass === classOfHeld,
        )
        await report(world, pod, { activeEvacuatorCompleted: true, message: 'Done' })
        await evacuationBecomes(world, pod, 'a budget refuses it', ({ status }) => status.failedEvictionCounter > 0)
      }
      await complete()
      await deleteEvacuation(world, pod)
      await complete()
      await world.arrange('PATCH', `${paths.budgets}/web`, { spec: { minAvailable: 0 } }, merge)
      await isDrained(world)
    },
  },
  {
    name: 'Evacuations that are all deleted again and again for 30 seconds keep no application from what it wants, and no drain from its end',
    run: async (world) => {
      const pods = await arrangeApps(world, 5, 2)
      // Each undo leaves one pod too many, and which one goes is the ReplicaSet's choice: it may be one of these.
      await neverBelow(world, pods, async () => {
        await announce(world, 'upgrade', { nodes: ['one'] })
        await areReleased(world, 3)
        for (const endMs = world.nowMs() + 30_000; world.nowMs() < endMs;) {
          for (const { metadata } of await evacuationsOf(world)) {
            await world.attempt('DELETE', `${evacuationsPath}/${metadata.name}`, {})
          }
          await heal(world)
          // Faster, and the ReplicaSet controller of 1.37 finds its own cache outdated so often that it waits for minutes.
          await world.pass(1_500)
        }
        await untilDrained(world, 10)
      })
    },
  },
]

// The same to fifty released pods at once.

const many = 50

interface Disappearance {
  readonly what: string
  readonly act: (world: MaintenanceWorld) => Promise<void>
  /** What becomes of the drain. */
  readonly ends: 'drained' | 'given back'
}

const stripped = { metadata: { finalizers: null } }

const disappearances: readonly Disappearance[] = [
  {
    what: 'Evacuations whose finalizers are stripped and that are deleted',
    ends: 'drained',
    act: async (world) => {
      for (const { metadata } of await evacuationsOf(world)) {
        await world.attempt('PATCH', `${evacuationsPath}/${metadata.name}`, stripped, merge)
        await world.attempt('DELETE', `${evacuationsPath}/${metadata.name}`, {})
      }
    },
  },
  {
    what: 'Evacuations that are deleted in the foreground',
    ends: 'drained',
    act: async (world) => {
      for (const { metadata } of await evacuationsOf(world)) {
        await world.attempt('DELETE', `${evacuationsPath}/${metadata.name}`, { propagationPolicy: 'Foreground' })
      }
    },
  },
  {
    what: 'the definition of Evacuations being deleted',
    ends: 'drained',
    act: async (world) => void (await world.attempt('DELETE', definitionPath, {})),
  },
  { what: 'Lifeboat being uninstalled', ends: 'given back', act: (world) => world.lifeboat.uninstall() },
]

async function isGivenBack(world: MaintenanceWorld): Promise<void> {
  // One that ran on while it was uninstalled may have registered an evacuator once more: nothing follows from that.
  await areWithoutTraces(world, releasedLabel)
  await heal(world)
  await world.eventually(
    'every application has what it wants',
    async () => (await podsOf(world)).filter(isReady).length,
    (found) => found === many,
  )
}

/** What Lifeboat does while its Evacuations disappear. */
export function disappearancesWhile(lifeboat: 'running' | 'killed'): readonly MaintenanceScenario[] {
  return disappearances.map(({ what, act, ends }) => ({
    name: `${what} in the middle of ${many} releases, with Lifeboat ${lifeboat}: no pod goes but through an accepted eviction, and the next start leaves no release behind`,
    ownCluster: true,
    run: async (world) => {
      const pods = await arrangeApps(world, many, 1)
      await guarded(world, pods, async () => {
        await announce(world, 'upgrade', { nodes: ['one'] })
        await areReleased(world, many)
        if (lifeboat === 'killed') await world.lifeboat.kill()
        await act(world)
        if (lifeboat === 'running') {
          await world.pass(2_000)
          await world.lifeboat.kill()
        }
        await world.lifeboat.start()
        if (ends === 'drained') await untilDrained(world, many)
        else await isGivenBack(world)
      })
    },
  }))
}
