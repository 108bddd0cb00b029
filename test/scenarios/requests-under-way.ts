import {
  arrangeBudget,
  budgetsPath,
  evacuate,
  isOver,
  look,
  pathOf,
  podsPath,
  priorityOf,
  report,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import {
  announce,
  areEvacuated,
  arrangeMachines,
  arrangePriorities,
  becomes,
  eventsAbout,
  held,
  isAlready,
  lookAtMaintenance,
  maintenancePath,
  moveTo,
  nodePath,
  put,
  remains,
  remove,
  setUnschedulable,
  shows,
  takeAway,
  type Entry,
  type MaintenanceScenario,
  type MaintenanceWorld,
  type Stage,
} from './maintenance-world.ts'
import type { Direction, RequestPattern, Roadblock } from './road.ts'
import { merge } from './workload-world.ts'

// The world changes while a request of Lifeboat, or its answer, is under way.

export interface RoadWorld extends MaintenanceWorld {
  /** From now on such requests of Lifeboat wait. */
  block(pattern: RequestPattern, direction: Direction): Roadblock
}

export interface RoadScenario extends Pick<MaintenanceScenario, 'name' | 'ownCluster'> {
  readonly run: (world: RoadWorld) => Promise<void>
}

const evacuating = (count: number) => `cordoned by Lifeboat: Evacuating; 0 pending, ${count} evacuating`
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const underWay = (pods: number) => `Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, ${pods} evacuating`
const allDrained = 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating'
const upTo = (podPriority: number): Entry => ({ podPriority, podType: 'Default' })

async function isStopped(world: RoadWorld, what: string, block: Roadblock): Promise<void> {
  await world.eventually(
    `${what} is under way`,
    async () => block.count(),
    (count) => count > 0,
  )
}

async function isGoneMaintenance(world: RoadWorld, name: string): Promise<void> {
  await becomes(world, `${name} is gone`, { maintenances: { [name]: 'gone' } })
}

// Budgets.

const asker = 'backup.example.com'

async function isRefused(world: EvacuationWorld, pod: PodKey): Promise<void> {
  await world.eventually(
    `${pod.name} is refused`,
    () => look(world, pod),
    (seen) => (seen?.status.failedEvictionCounter ?? 0) > 0,
  )
}

async function arrangeFullBudget(world: RoadWorld, app: string): Promise<void> {
  const numbers = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, observedGeneration: 1 }
  await arrangeBudget(world, app, { minAvailable: 1, selector: { matchLabels: { app } } }, numbers)
}

const budgets: readonly RoadScenario[] = [
  {
    name: 'room that a budget gets while its refusal is under way to Lifeboat is not lost',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const other = await put(world, 'one', 'other')
      const pod = await put(world, 'one', 'web', { annotations: { [priorityOf(asker)]: '100' } })
      for (const app of ['other', 'web']) await arrangeFullBudget(world, app)
      // From its refusal on the budgets are watched, as long as it waits.
      await evacuate(world, other)
      await isRefused(world, other)
      await evacuate(world, pod)
      await world.eventually(
        'the first evacuator has its turn',
        () => look(world, pod),
        (seen) => seen?.status.activeEvacuatorClass === asker,
      )
      // The next try is minutes away: a room that is lost shows.
      await report(world, pod, { failedEvictionCounter: 9 })
      const refusal = world.block({ method: 'POST', path: `${podsPath}/web/eviction` }, 'answer')
      await report(world, pod, { activeEvacuatorCompleted: true })
      await isStopped(world, 'the refusal', refusal)
      await world.arrange('PATCH', `${budgetsPath}/web`, { spec: { minAvailable: 0 } }, merge)
      await world.eventually(
        'the budget has room',
        async () => ((await world.read(`${budgetsPath}/web`)).body['status'] ?? {}) as { disruptionsAllowed?: number },
        ({ disruptionsAllowed = 0 }) => disruptionsAllowed > 0,
      )
      await world.pass(500)
      refusal.letGo()
      await isOver(world, pod)
      await world.arrange('DELETE', `${budgetsPath}/other`)
      await isOver(world, other)
    },
  },
]

// Plans.

const plans: readonly RoadScenario[] = [
  {
    name: 'while the pods of a node are not listed yet other maintenances continue, and one that was made again under its name begins at its first entry',
    // Beside others so many nodes may drain that the pods of none are listed by themselves.
    ownCluster: true,
    run: async (world) => {
      await arrangePriorities(world, [1_000, 5_000])
      await arrangeMachines(world, ['one', 'two'])
      await put(world, 'two', 'other', { annotations: held })
      const drainPlan = [upTo(1_000), upTo(5_000)]
      await announce(world, 'upgrade', { nodes: ['one'], drainPlan })
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained } })
      const query = ['fieldSelector=spec.nodeName=NS-two']
      const list = world.block({ method: 'GET', path: '/api/v1/pods', query }, 'answer')
      await announce(world, 'unlisted', { nodes: ['two'] })
      await isStopped(world, 'the list', list)
      await remove(world, 'upgrade')
      await isGoneMaintenance(world, 'upgrade')
      await put(world, 'one', 'low', { priority: 1_000, annotations: held })
      await put(world, 'one', 'high', { priority: 5_000, annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'], drainPlan })
      await remains(world, 'it begins again', {
        nodes: { one: 'cordoned by Lifeboat: Evacuating; 1 pending, 1 evacuating' },
        maintenances: { upgrade: 'Drain, held: Evacuating; 0 of 1 nodes drained; 1 pending, 1 evacuating' },
      })
      await areEvacuated(world, 'the first entry', ['low'])
      await takeAway(world, 'low')
      await areEvacuated(world, 'the second entry', ['high'])
      await takeAway(world, 'high')
      await becomes(world, 'it is drained again', { nodes: { one: drained }, maintenances: { upgrade: allDrained } })
      list.letGo()
      await becomes(world, 'the other continues', {
        nodes: { two: evacuating(1) },
        maintenances: { unlisted: underWay(1) },
      })
    },
  },
]

// Finalizers and stages.

async function beginDrain(world: MaintenanceWorld): Promise<PodKey> {
  await arrangeMachines(world, ['one'])
  const pod = await put(world, 'one', 'first', { annotations: held })
  await announce(world, 'upgrade', { nodes: ['one'] })
  await becomes(world, 'it is under way', { nodes: { one: evacuating(1) }, maintenances: { upgrade: underWay(1) } })
  return pod
}

const uidOf = async (world: MaintenanceWorld, pod: PodKey) => (await look(world, pod))?.metadata.uid

/** `kubectl replace` with the manifest that it was created from. */
async function replace(world: MaintenanceWorld, name: string): Promise<void> {
  const { body } = await world.read(maintenancePath(name))
  const { apiVersion, kind, metadata, spec } = body as Record<string, { name: string; resourceVersion: string }>
  const manifest = {
    apiVersion,
    kind,
    metadata: { name: metadata?.name, resourceVersion: metadata?.resourceVersion },
    spec,
  }
  const { status } = await world.update(maintenancePath(name), manifest)
  if (status !== 200) throw new Error(`replaced: ${status}`)
}

const replaced: readonly RoadScenario[] = [
  {
    name: 'a maintenance that is replaced by a manifest without its finalizer keeps its nodes and its evacuations, and gets the finalizer back',
    run: async (world) => {
      const pod = await beginDrain(world)
      const before = await uidOf(world, pod)
      const holding = world.block({ method: 'PATCH', path: maintenancePath('upgrade') }, 'request')
      await replace(world, 'upgrade')
      await isStopped(world, 'the finalizer', holding)
      await world.pass(2_000)
      await isAlready(world, 'nothing is given back', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(1).replace(', held', '') },
      })
      holding.letGo()
      await becomes(world, 'it is held again', { maintenances: { upgrade: underWay(1) } })
      if ((await uidOf(world, pod)) !== before) throw new Error('the Evacuation was withdrawn in between')
      await areEvacuated(world, 'the Evacuation is there', ['first'])
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'it ends as ever', {
        nodes: { one: 'schedulable' },
        maintenances: { upgrade: 'Complete, completed' },
      })
    },
  },
  {
    name: 'a node whose evacuations are being withdrawn is not given back when another maintenance has come meanwhile',
    run: async (world) => {
      const pod = await beginDrain(world)
      const withdrawal = world.block({ method: 'PATCH', path: pathOf(pod) }, 'answer')
      await moveTo(world, 'upgrade', 'Complete')
      await isStopped(world, 'the withdrawal', withdrawal)
      await announce(world, 'next', { nodes: ['one'], stage: 'Cordon' })
      await becomes(world, 'the next one is there', { maintenances: { next: 'Cordon, held' } })
      await world.eventually(
        'Lifeboat has begun it',
        () => lookAtMaintenance(world, 'next'),
        (seen) => (seen?.status.stageStatuses ?? []).length > 0,
      )
      withdrawal.letGo()
      await becomes(world, 'the first one ends', { maintenances: { upgrade: 'Complete, completed' } })
      await remains(world, 'the node is kept', { nodes: { one: 'cordoned by Lifeboat' } })
      await shows(world, 'it was not given back', () => eventsAbout(world, 'Node', 'one', 'MaintenanceEnded'), [])
    },
  },
]

const ways: readonly (readonly Stage[])[] = [
  ['Cordon', 'Complete'],
  ['Drain', 'Complete'],
  ['Idle', 'Drain', 'Complete'],
]

const hurried: readonly RoadScenario[] = ways.map(([first = 'Idle', ...others]) => ({
  name: `${[first, ...others].join(' to ')} before Lifeboat has written anything: a node that an admin cordoned stays cordoned`,
  run: async (world) => {
    await arrangeMachines(world, ['one', 'two'])
    await setUnschedulable(world, 'one', true)
    const holding = world.block({ method: 'PATCH', path: maintenancePath('upgrade') }, 'request')
    const reporting = world.block({ method: 'PATCH', path: `${maintenancePath('upgrade')}/status` }, 'request')
    await announce(world, 'upgrade', { nodes: ['one', 'two'], stage: first })
    for (const stage of others) await moveTo(world, 'upgrade', stage)
    await world.pass(500)
    holding.letGo()
    reporting.letGo()
    await remains(world, 'it is over', {
      nodes: { one: 'cordoned', two: 'schedulable' },
      maintenances: { upgrade: 'Complete, completed' },
    })
  },
}))

// Nodes.

const directions: readonly Direction[] = ['request', 'answer']

const cordons: readonly RoadScenario[] = [
  {
    name: 'the last maintenance is deleted while a cordon is under way: the node is schedulable in the end, every time',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      for (const direction of [...directions, ...directions]) {
        const cordon = world.block({ method: 'PATCH', path: nodePath('one') }, direction)
        await announce(world, 'upgrade', { nodes: ['one'], stage: 'Cordon' })
        await isStopped(world, 'the cordon', cordon)
        await remove(world, 'upgrade')
        if (direction === 'request') await isGoneMaintenance(world, 'upgrade')
        else await world.pass(500)
        cordon.letGo()
        await remains(world, `its ${direction} was late`, {
          nodes: { one: 'schedulable' },
          maintenances: { upgrade: 'gone' },
        })
      }
    },
  },
]

const maintenanceWebhook =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/lifeboat-admission-node-maintenances'

const lists: readonly RoadScenario[] = [
  {
    name: 'maintenances that are deleted as soon as they are there, at any stage, leave a Lifeboat that drains the next one, also after a restart',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const begone = async (stage: Stage, at: number) => {
        await announce(world, `hurried-${at}`, { nodes: ['one'], stage })
        await remove(world, `hurried-${at}`)
      }
      for (const [at, stage] of (['Idle', 'Cordon', 'Drain', 'Idle', 'Drain'] as const).entries())
        await begone(stage, at)
      await becomes(world, 'nothing is left', { nodes: { one: 'schedulable' }, maintenances: { 'hurried-4': 'gone' } })
      await announce(world, 'first', { nodes: ['one'] })
      await becomes(world, 'the next one drains', { nodes: { one: drained }, maintenances: { first: allDrained } })
      await remove(world, 'first')
      await becomes(world, 'it is gone', { nodes: { one: 'schedulable' }, maintenances: { first: 'gone' } })
      await begone('Idle', 5)
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await announce(world, 'second', { nodes: ['one'] })
      await becomes(world, 'after a restart, too', { nodes: { one: drained }, maintenances: { second: allDrained } })
    },
  },
  {
    name: 'a maintenance that is deleted while Lifeboat starts, before all nodes are listed: Lifeboat leads, and drains the next one',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await announce(world, 'planned', { nodes: ['one'], stage: 'Idle' })
      await becomes(world, 'it is planned', { maintenances: { planned: 'Idle' } })
      await world.lifeboat.kill()
      const list = world.block({ method: 'GET', path: '/api/v1/nodes', query: ['limit=100'] }, 'answer')
      const starting = world.lifeboat.start()
      await isStopped(world, 'the list of nodes', list)
      await world.eventually(
        'it is deleted',
        async () => {
          // That would look at all nodes, too. Lifeboat puts it back.
          await world.attempt('DELETE', maintenanceWebhook, {})
          return world.attempt('DELETE', maintenancePath('planned'), {})
        },
        ({ status }) => status === 200 || status === 404,
      )
      await starting
      list.letGo()
      await announce(world, 'upgrade', { nodes: ['one'] })
      await becomes(world, 'the next one drains', { nodes: { one: drained }, maintenances: { upgrade: allDrained } })
    },
  },
]

export const roadScenarios: readonly RoadScenario[] = [
  ...budgets,
  ...plans,
  ...replaced,
  ...hurried,
  ...cordons,
  ...lists,
]
