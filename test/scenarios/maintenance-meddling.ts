import { arrangeBudget, evacuate, instigator, look, pathOf, podsPath, type PodKey } from './lifeboat-world.ts'
import {
  announce,
  areEvacuated,
  arrangeMachines,
  arrangePriorities,
  becomes,
  evacuationsOf,
  held,
  isSaidSeldom,
  lookAtNode,
  maintenancePath,
  moveTo,
  nodePath,
  ownFinalizer,
  podsAre,
  put,
  remains,
  remove,
  shows,
  statusOfNode,
  takeAway,
  type Entry,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { merge, paths } from './workload-world.ts'

// Others do something that a maintenance has to cope with.

const evacuating = (count: number) => `cordoned by Lifeboat: Evacuating; 0 pending, ${count} evacuating`
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const underWay = (done: number, nodes: number, pods: number) =>
  `Drain, held: Evacuating; ${done} of ${nodes} nodes drained; 0 pending, ${pods} evacuating`
const allDrained = (nodes: number) =>
  `Drain, held, drained: Drained; ${nodes} of ${nodes} nodes drained; 0 pending, 0 evacuating`
const upTo = (podPriority: number): Entry => ({ podPriority, podType: 'Default' })

async function beginDrain(world: MaintenanceWorld): Promise<PodKey> {
  await arrangeMachines(world, ['one'])
  const pod = await put(world, 'one', 'first', { annotations: held })
  await announce(world, 'upgrade', { nodes: ['one'] })
  await becomes(world, 'it is under way', {
    nodes: { one: evacuating(1) },
    maintenances: { upgrade: underWay(0, 1, 1) },
  })
  return pod
}

async function finalizersAre(world: MaintenanceWorld, what: string, pod: PodKey, expected: readonly string[]) {
  const seen = async () => (await look(world, pod))?.metadata.finalizers?.toSorted() ?? []
  await shows(world, what, seen, expected.toSorted())
}

const evacuations: readonly MaintenanceScenario[] = [
  {
    name: '"make sure that the Evacuation object exist[s]": one that somebody deletes is made again',
    run: async (world) => {
      const pod = await beginDrain(world)
      const before = await look(world, pod)
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: null } }, merge)
      await world.attempt('DELETE', pathOf(pod).replaceAll('NS', world.namespace), {})
      await world.eventually(
        'there is another',
        () => look(world, pod),
        (seen) =>
          seen !== undefined &&
          seen.metadata.deletionTimestamp === undefined &&
          seen.metadata.finalizers?.includes(ownFinalizer) === true,
      )
      world.observe('there was one before', before !== undefined)
      await remains(world, 'it goes on', { nodes: { one: evacuating(1) } })
      await podsAre(world, 'the pod is there', ['first'])
    },
  },
  {
    name: '"[...] and has the evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io finalizer": beside that of another, which stays in the end',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const pod = await put(world, 'one', 'first', { annotations: held })
      await evacuate(world, pod)
      await announce(world, 'upgrade', { nodes: ['one'] })
      await finalizersAre(world, 'both want it gone', pod, [instigator, ownFinalizer])
      await becomes(world, 'it is under way', { nodes: { one: evacuating(1) } })
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: [instigator] } }, merge)
      await finalizersAre(world, 'taken off, it is put back', pod, [instigator, ownFinalizer])
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'the node is back', { nodes: { one: 'schedulable' } })
      await finalizersAre(world, 'the other still wants it', pod, [instigator])
      const seen = await look(world, pod)
      world.observe('it is not cancelled', seen?.metadata.deletionTimestamp === undefined)
    },
  },
  {
    name: 'a budget that allows no eviction holds the drain, and as soon as it does allow one the drain continues',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'web')
      await world.eventually(
        'it is ready',
        async () => ((await world.read(`${podsPath}/web`)).body['status'] ?? {}) as { phase?: string },
        ({ phase }) => phase === 'Running',
      )
      await arrangeBudget(world, 'web', { minAvailable: 1 }, { currentHealthy: 1 })
      await announce(world, 'upgrade', { nodes: ['one'] })
      await remains(world, 'it waits', { nodes: { one: evacuating(1) }, maintenances: { upgrade: underWay(0, 1, 1) } })
      await world.arrange('PATCH', `${paths.budgets}/web`, { spec: { minAvailable: 0 } }, merge)
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
    },
  },
]

const hurried: readonly MaintenanceScenario[] = (['completed', 'deleted'] as const).map((how) => ({
  name: `${how} while it is still asking for evacuations, a maintenance leaves none behind`,
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    const names = Array.from({ length: 60 }, (_, at) => `pod-${at}`)
    for (const name of names) await put(world, 'one', name, { annotations: held })
    await announce(world, 'upgrade', { nodes: ['one'] })
    await world.eventually(
      'the first are evacuated',
      async () => (await evacuationsOf(world)).length,
      (count) => count > 0,
    )
    if (how === 'completed') await moveTo(world, 'upgrade', 'Complete')
    else await remove(world, 'upgrade')
    await becomes(world, 'the node is back', {
      nodes: { one: 'schedulable' },
      maintenances: { upgrade: how === 'completed' ? 'Complete, completed' : 'gone' },
    })
    await world.pass(3_000)
    await areEvacuated(world, 'nobody is evacuated', [])
    await podsAre(world, 'all are there', names)
  },
}))

const nodes: readonly MaintenanceScenario[] = [
  {
    name: 'the annotation of a node that somebody takes off or spoils is written again',
    run: async (world) => {
      await beginDrain(world)
      for (const value of [null, 'not JSON', '{"drainTargets":7}', '{}']) {
        const annotations = { 'nodemaintenance.k8s.io/maintenance-status': value }
        await world.arrange('PATCH', nodePath('one'), { metadata: { annotations } }, merge)
        await world.eventually(
          `it is written again after ${value}`,
          async () => (await lookAtNode(world, 'one'))?.metadata.annotations?.[statusAnnotation],
          (text) => text !== undefined && text !== value && text.includes('Evacuating'),
        )
      }
      await remains(world, 'all is as before', {
        nodes: { one: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'and the node is given back', { nodes: { one: 'schedulable' } })
    },
  },
  {
    name: 'a maintenance that somebody tears out, finalizer and all, while the gate is off: its nodes and pods are given back when it is on',
    ownCluster: true,
    run: async (world) => {
      await beginDrain(world)
      await world.lifeboat.kill()
      await world.lifeboat.start(['DeclarativeNodeMaintenance'])
      await world.arrange('PATCH', maintenancePath('upgrade'), { metadata: { finalizers: null } }, merge)
      await world.arrange('DELETE', maintenancePath('upgrade'))
      await remains(world, 'nobody notices', { nodes: { one: evacuating(1) }, maintenances: { upgrade: 'gone' } })
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'somebody does', { nodes: { one: 'schedulable' } })
      await areEvacuated(world, 'nobody is evacuated', [])
      await podsAre(world, 'the pod is there', ['first'])
    },
  },
  {
    name: 'maintenances that are completed or deleted while the gate is off end when it is on',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two', 'three'])
      await put(world, 'one', 'first', { annotations: held })
      await put(world, 'two', 'second', { annotations: held })
      await announce(world, 'ended', { nodes: ['one'] })
      await announce(world, 'deleted', { nodes: ['two'] })
      await becomes(world, 'both are under way', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { ended: underWay(0, 1, 1), deleted: underWay(0, 1, 1) },
      })
      await world.lifeboat.kill()
      await world.lifeboat.start(['DeclarativeNodeMaintenance'])
      await moveTo(world, 'ended', 'Complete')
      await remove(world, 'deleted')
      await announce(world, 'begun', { nodes: ['three'] })
      await remains(world, 'they wait', {
        nodes: { one: evacuating(1), two: evacuating(1), three: 'schedulable' },
        maintenances: { ended: 'Complete, held', deleted: underWay(0, 1, 1) },
      })
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'they end, and one begins', {
        nodes: { one: 'schedulable', two: 'schedulable', three: drained },
        maintenances: { ended: 'Complete, completed', deleted: 'gone', begun: allDrained(1) },
      })
      await areEvacuated(world, 'nobody is evacuated', [])
    },
  },
]

const statusAnnotation = 'nodemaintenance.k8s.io/maintenance-status'

async function targetsAre(world: MaintenanceWorld, what: string, expected: Readonly<Record<string, readonly Entry[]>>) {
  const targetsOf = async () => {
    const seen: Record<string, readonly Entry[]> = {}
    for (const name of Object.keys(expected)) {
      const node = await lookAtNode(world, name)
      seen[name] = (node === undefined ? undefined : statusOfNode(node)?.drainTargets) ?? []
    }
    return seen
  }
  await shows(world, what, targetsOf, expected as Record<string, readonly Entry[]>)
}

async function arrangeNeighbours(world: MaintenanceWorld): Promise<void> {
  await arrangePriorities(world, [1_000, 5_000])
  await arrangeMachines(world, ['shared', 'two', 'three'])
  await put(world, 'two', 'low', { priority: 1_000, annotations: held })
  await put(world, 'shared', 'high', { priority: 5_000, annotations: held })
  await put(world, 'three', 'higher', { priority: 5_000, annotations: held })
}

async function waitsAndGoesOn(world: MaintenanceWorld): Promise<void> {
  const waiting = 'cordoned by Lifeboat: Waiting for older.; 1 pending, 0 evacuating'
  await remains(world, 'the younger one waits', {
    nodes: { shared: waiting, two: evacuating(1), three: waiting },
    maintenances: { younger: 'Drain, held: Waiting for older.; 0 of 2 nodes drained; 2 pending, 0 evacuating' },
  })
  await areEvacuated(world, 'only low is evacuated', ['low'])
  await remove(world, 'older')
  await becomes(world, 'it goes on', {
    nodes: { shared: evacuating(1), two: 'schedulable', three: evacuating(1) },
    maintenances: { older: 'gone', younger: underWay(0, 2, 2) },
  })
}

const neighbours: readonly MaintenanceScenario[] = [
  {
    name: '"all the NodeMaintenances of intersecting nodes have finished evacuation for the current drain targets": a maintenance that waits for another goes on when that is deleted',
    run: async (world) => {
      await arrangeNeighbours(world)
      await announce(world, 'older', { nodes: ['shared', 'two'], drainPlan: [upTo(1_000)] })
      await becomes(world, 'the older one is at it', { nodes: { two: evacuating(1) } })
      await announce(world, 'younger', { nodes: ['shared', 'three'], drainPlan: [upTo(1_000), upTo(5_000)] })
      await waitsAndGoesOn(world)
    },
  },
  {
    name: 'two that are announced in the same moment wait for one another as those announced one after the other',
    run: async (world) => {
      await arrangeNeighbours(world)
      await announce(world, 'older', { nodes: ['shared', 'two'], drainPlan: [upTo(1_000)] })
      await announce(world, 'younger', { nodes: ['shared', 'three'], drainPlan: [upTo(1_000), upTo(5_000)] })
      await waitsAndGoesOn(world)
    },
  },
  {
    name: '"DrainTargets cannot backtrack": what an older maintenance has reached on a shared node stays when it ends, though the younger is not so far',
    run: async (world) => {
      await arrangePriorities(world, [1_000, 5_000])
      await arrangeMachines(world, ['shared', 'two'])
      await put(world, 'shared', 'high', { priority: 5_000, annotations: held })
      await put(world, 'two', 'low', { priority: 1_000, annotations: held })
      const drainPlan = [upTo(1_000), upTo(5_000)]
      await announce(world, 'older', { nodes: ['shared'], drainPlan })
      await targetsAre(world, 'the older one has come to 5000', { shared: [upTo(5_000)] })
      await areEvacuated(world, 'high is evacuated', ['high'])
      await announce(world, 'younger', { nodes: ['shared', 'two'], drainPlan })
      await targetsAre(world, 'the younger one begins', { shared: [upTo(5_000)], two: [upTo(1_000)] })
      await moveTo(world, 'older', 'Complete')
      await becomes(world, 'the older one ends', { maintenances: { older: 'Complete, completed' } })
      await remains(world, 'the shared node is as far as it was', {
        nodes: { shared: evacuating(1), two: evacuating(1) },
        maintenances: { younger: underWay(0, 2, 2) },
      })
      await targetsAre(world, 'by its targets too', { shared: [upTo(5_000)], two: [upTo(1_000)] })
      await areEvacuated(world, 'both are evacuated', ['high', 'low'])
      await takeAway(world, 'low')
      await targetsAre(world, 'the younger one has come to 5000', { shared: [upTo(5_000)], two: [upTo(5_000)] })
    },
  },
  {
    name: 'a namespace that is being deleted takes no Evacuation, and does not hold the drain longer than its pods last',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      const other = `${world.namespace}-other`
      await world.arrange('POST', '/api/v1/namespaces', { metadata: { name: other } })
      await world.eventually(
        'it has its service account',
        () => world.read(`/api/v1/namespaces/${other}/serviceaccounts/default`),
        ({ status }) => status === 200 || status === 404,
      )
      const path = `/api/v1/namespaces/${other}/pods`
      const pod = {
        metadata: { name: 'first', namespace: other, finalizers: ['example.com/keeper'] },
        spec: {
          nodeName: 'NS-one',
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: 'web:1' }],
        },
      }
      await world.eventually(
        'the pod is made',
        () => world.attempt('POST', path, pod),
        ({ status }) => status === 201,
      )
      await world.eventually(
        'the pod runs',
        async () => (await world.read(`${path}/first`)).body as { status?: { phase?: string } },
        ({ status }) => status?.phase === 'Running',
      )
      await world.arrange('DELETE', `/api/v1/namespaces/${other}`)
      await world.eventually(
        'the kubelet has ended its pod',
        async () => (await world.read(`${path}/first`)).body as { metadata?: { deletionGracePeriodSeconds?: number } },
        ({ metadata }) => metadata?.deletionGracePeriodSeconds === 0,
      )
      await announce(world, 'upgrade', { nodes: ['one'] })
      await remains(world, 'it holds the node', {
        nodes: { one: 'cordoned by Lifeboat: Evacuating; 1 pending, 0 evacuating' },
      })
      const { type } = await isSaidSeldom(world, 'NodeMaintenance', 'upgrade', 'EvacuationRefused')
      if (type !== 'Warning') throw new Error(`the event is ${type}`)
      await world.arrange('PATCH', `${path}/first`, { metadata: { finalizers: null } }, merge)
      await becomes(world, 'it is drained', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
    },
  },
]

const planning: readonly MaintenanceScenario[] = [
  {
    name: 'a plan that selects other nodes before it begins: only those that it selects then are touched',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await put(world, 'one', 'first', { annotations: held })
      await put(world, 'two', 'second', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'], stage: 'Idle' })
      const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['NS-two'] }] }]
      const nodeSelector = { nodeSelectorTerms: terms }
      await world.arrange('PATCH', maintenancePath('upgrade'), { spec: { nodeSelector } }, merge)
      await moveTo(world, 'upgrade', 'Drain')
      await remains(world, 'it drains the other', {
        nodes: { one: 'schedulable', two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 1, 1) },
      })
      const body = { spec: { nodeSelector: { nodeSelectorTerms: [{ matchFields: [] }] } } }
      const { status } = await world.send('PATCH', maintenancePath('upgrade'), body, merge)
      if (status < 400) throw new Error('what has begun keeps its nodes')
      await areEvacuated(world, 'one is evacuated', ['second'])
    },
  },
  {
    name: 'a reason that is given or changed during the drain shows on the node',
    run: async (world) => {
      await beginDrain(world)
      const reasonOnNode = async () => {
        const text = (await lookAtNode(world, 'one'))?.metadata.annotations?.[statusAnnotation] ?? '{}'
        return (JSON.parse(text) as { reason?: string }).reason ?? 'none'
      }
      await shows(world, 'none at first', reasonOnNode, 'none')
      await world.arrange('PATCH', maintenancePath('upgrade'), { spec: { reason: 'a broken fan' } }, merge)
      await shows(world, 'the reason is told', reasonOnNode, 'a broken fan')
      await world.arrange('PATCH', maintenancePath('upgrade'), { spec: { reason: null } }, merge)
      await shows(world, 'and taken back', reasonOnNode, 'none')
    },
  },
]

export const meddlingScenarios: readonly MaintenanceScenario[] = [
  ...evacuations,
  ...hurried,
  ...nodes,
  ...neighbours,
  ...planning,
]
