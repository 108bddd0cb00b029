import { evacuate, evacuationsPath, podsPath } from './lifeboat-world.ts'
import {
  announce,
  areEvacuated,
  arrangeMachines,
  becomes,
  evacuationsOf,
  held,
  maintenancesPath,
  moveTo,
  podsAre,
  put,
  remains,
  remove,
  setUnschedulable,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { arrangeDaemons, daemonsAre } from './maintenance-workloads.ts'
import { isReady, paths, podsOf, workload, type PodSeen } from './workload-world.ts'

// Lifeboat stops, in all the ways in which it can, in the middle of a drain.

const evacuating = (count: number) => `cordoned by Lifeboat: Evacuating; 0 pending, ${count} evacuating`
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const underWay = (done: number, nodes: number, pods: number) =>
  `Drain, held: Evacuating; ${done} of ${nodes} nodes drained; 0 pending, ${pods} evacuating`
const allDrained = (nodes: number) =>
  `Drain, held, drained: Drained; ${nodes} of ${nodes} nodes drained; 0 pending, 0 evacuating`

async function beginDrain(world: MaintenanceWorld): Promise<void> {
  await arrangeMachines(world, ['one', 'two'])
  await put(world, 'one', 'first', { annotations: held })
  await put(world, 'two', 'second', { annotations: held })
  await announce(world, 'upgrade', { nodes: ['one', 'two'] })
  await becomes(world, 'it is under way', {
    nodes: { one: evacuating(1), two: evacuating(1) },
    maintenances: { upgrade: underWay(0, 2, 2) },
  })
}

async function endDrain(world: MaintenanceWorld): Promise<void> {
  await moveTo(world, 'upgrade', 'Complete')
  await becomes(world, 'it ends as ever', {
    nodes: { one: 'schedulable', two: 'schedulable' },
    maintenances: { upgrade: 'Complete, completed' },
  })
  await areEvacuated(world, 'no Evacuation is left', [])
}

const gates: readonly MaintenanceScenario[] = [
  {
    name: 'the gate DeclarativeNodeMaintenance off in the middle: all stays as it is and nobody is stopped; on again, it goes on',
    ownCluster: true,
    run: async (world) => {
      await beginDrain(world)
      await world.lifeboat.kill()
      await world.lifeboat.start(['DeclarativeNodeMaintenance'])
      await areEvacuated(world, 'the Evacuations are there', ['first', 'second'])
      await setUnschedulable(world, 'two', false)
      await takeAway(world, 'first')
      await remains(world, 'nobody looks after it', {
        nodes: {
          one: evacuating(1),
          two: 'cordoned by Lifeboat, yet schedulable: Evacuating; 0 pending, 1 evacuating',
        },
        maintenances: { upgrade: underWay(0, 2, 2) },
      })
      await areEvacuated(world, 'an evacuation ends as ever', ['second'])
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'it goes on', {
        nodes: { one: drained, two: evacuating(1) },
        maintenances: { upgrade: underWay(1, 2, 1) },
      })
      await takeAway(world, 'second')
      await becomes(world, 'it is drained', {
        nodes: { one: drained, two: drained },
        maintenances: { upgrade: allDrained(2) },
      })
      await endDrain(world)
    },
  },
  {
    name: 'the gate NodeMaintenanceAwareDaemonSet off in the middle: pods of DaemonSets stay, and do not hold the drain; on again, they leave too',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await arrangeDaemons(world, ['logs', 'network'])
      await daemonsAre(world, 'they run', { one: 'logs, network', two: 'logs, network' })
      await put(world, 'one', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one'] })
      await becomes(world, 'it is under way', {
        nodes: { one: 'cordoned by Lifeboat: Evacuating; 2 pending, 1 evacuating' },
      })
      await world.lifeboat.kill()
      await world.lifeboat.start(['NodeMaintenanceAwareDaemonSet'])
      await becomes(world, 'they do not count', { nodes: { one: evacuating(1) } })
      await takeAway(world, 'first')
      await becomes(world, 'they stay', {
        nodes: { one: 'cordoned by Lifeboat: Drained (2 DaemonSet pods stay); 0 pending, 0 evacuating' },
        maintenances: {
          upgrade:
            'Drain, held, drained: Drained (2 DaemonSet pods stay); 1 of 1 nodes drained; 0 pending, 0 evacuating',
        },
      })
      await daemonsAre(world, 'they run on', { one: 'logs, network', two: 'logs, network' })
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'they leave', { nodes: { one: drained }, maintenances: { upgrade: allDrained(1) } })
      await daemonsAre(world, 'they stay away', { one: '', two: 'logs, network' })
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'it ends as ever', { nodes: { one: 'schedulable' } })
      await daemonsAre(world, 'they are back', { one: 'logs, network', two: 'logs, network' })
    },
  },
]

/** Everything of Lifeboat's that a pod could bear. */
function tracesOn({ metadata }: PodSeen): string[] {
  const { annotations = {} } = metadata as { annotations?: Record<string, string> }
  const keys = [...Object.keys(annotations), ...Object.keys(metadata.labels ?? {})]
  return keys.filter((key) => /evacuation|nodemaintenance/.test(key) && !Object.hasOwn(held, key))
}

const uninstalled: readonly MaintenanceScenario[] = [
  {
    name: 'uninstalled in the middle nothing is held: no mark on a node or a pod, what was cordoned before stays so, and nothing else',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two', 'three'])
      await arrangeDaemons(world, ['logs'])
      await daemonsAre(world, 'they run', { one: 'logs', two: 'logs', three: 'logs' })
      await setUnschedulable(world, 'two', true)
      await put(world, 'one', 'first', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one', 'two'] })
      await announce(world, 'planned', { nodes: ['three'], stage: 'Idle' })
      await announce(world, 'cordon', { nodes: ['three'], stage: 'Cordon' })
      await announce(world, 'night', { nodes: ['three'] })
      await daemonsAre(world, 'one is gone', { one: 'logs', two: 'logs', three: '' })
      await becomes(world, 'it is under way', {
        nodes: {
          one: 'cordoned by Lifeboat: Evacuating; 1 pending, 1 evacuating',
          two: 'kept cordoned: Waiting for upgrade.; 1 pending, 0 evacuating',
          three: drained,
        },
      })
      await world.lifeboat.kill()
      await world.lifeboat.uninstall()
      await becomes(world, 'the nodes are as they were', {
        nodes: { one: 'schedulable', two: 'cordoned', three: 'schedulable' },
      })
      for (const path of [maintenancesPath, evacuationsPath]) {
        world.observe('the kinds are unknown', (await world.read(path)).status)
      }
      await daemonsAre(world, 'they are back', { one: 'logs', two: 'logs', three: 'logs' })
      const traces = (await podsOf(world)).flatMap(tracesOn)
      if (traces.length > 0) throw new Error(`left behind: ${traces.join(', ')}`)
      await world.lifeboat.start()
      await remains(world, 'nothing is left to go on with', {
        nodes: { one: 'schedulable', two: 'cordoned', three: 'schedulable' },
        maintenances: { upgrade: 'gone', planned: 'gone', cordon: 'gone', night: 'gone' },
      })
    },
  },
]

const killed: readonly MaintenanceScenario[] = [
  {
    name: 'killed as soon as the maintenance is announced, and in the middle of its drain',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await put(world, 'one', 'first', { annotations: held })
      await put(world, 'two', 'second', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one', 'two'] })
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'it is under way', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { upgrade: underWay(0, 2, 2) },
      })
      await world.lifeboat.kill()
      await takeAway(world, 'first')
      await put(world, 'two', 'third', { annotations: held })
      await setUnschedulable(world, 'one', false)
      await world.lifeboat.start()
      await becomes(world, 'it goes on with what is there', {
        nodes: { one: drained, two: evacuating(2) },
        maintenances: { upgrade: underWay(1, 2, 2) },
      })
      await areEvacuated(world, 'who is left', ['second', 'third'])
      await takeAway(world, 'second')
      await takeAway(world, 'third')
      await becomes(world, 'it is drained', {
        nodes: { one: drained, two: drained },
        maintenances: { upgrade: allDrained(2) },
      })
      await endDrain(world)
    },
  },
  {
    name: 'killed as soon as it is to be completed, and as soon as it is deleted',
    ownCluster: true,
    run: async (world) => {
      await beginDrain(world)
      await moveTo(world, 'upgrade', 'Complete')
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'it is completed', {
        nodes: { one: 'schedulable', two: 'schedulable' },
        maintenances: { upgrade: 'Complete, completed' },
      })
      await areEvacuated(world, 'nobody is evacuated', [])
      await announce(world, 'again', { nodes: ['one', 'two'] })
      await becomes(world, 'another is under way', {
        nodes: { one: evacuating(1), two: evacuating(1) },
        maintenances: { again: underWay(0, 2, 2) },
      })
      await remove(world, 'again')
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await becomes(world, 'it is gone', {
        nodes: { one: 'schedulable', two: 'schedulable' },
        maintenances: { again: 'gone' },
      })
      await areEvacuated(world, 'nobody is evacuated', [])
      await podsAre(world, 'the pods are there', ['first', 'second'])
      world.observe('pods', (await world.read(podsPath)).status)
    },
  },
]

const unreviewed: readonly MaintenanceScenario[] = [
  {
    name: 'an Evacuation created while no webhook was there ends where an evacuator of its pod is missing; no pod is evicted past its evacuators',
    ownCluster: true,
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'named', { annotations: held })
      await put(world, 'one', 'bare')
      await world.arrange('POST', paths.deployments, workload(world, { replicas: 1 }))
      const pods = await world.eventually(
        'all pods are ready',
        () => podsOf(world),
        (found) => found.length === 3 && found.every(isReady),
      )
      await world.lifeboat.kill()
      await world.lifeboat.start(['EvacuationAPI'])
      for (const { metadata } of pods) await evacuate(world, metadata)
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await world.eventually(
        'no Evacuation is left',
        () => evacuationsOf(world),
        (found) => found.length === 0,
      )
      await world.pass(2_000)
      const left = new Set((await podsOf(world)).map(({ metadata }) => metadata.uid))
      const named = pods
        .filter(({ metadata }) => left.has(metadata.uid))
        .map(({ metadata }) => metadata.labels?.['app'] ?? '')
      const expected = ['named', 'web']
      if (named.length !== 2 || !expected.every((app) => named.includes(app))) throw new Error(`left: ${named.join()}`)
      world.observe('only the pod that nobody claims was evicted', named.length)
    },
  },
]

export const gateScenarios: readonly MaintenanceScenario[] = [...unreviewed, ...gates, ...uninstalled, ...killed]
