import { priorityOf } from './lifeboat-world.ts'
import {
  all,
  announce,
  arrangeMachines,
  arrangePriorities,
  becomes,
  classOfHeld,
  held,
  lookAtMaintenance,
  lookAtNode,
  podIs,
  put,
  putStatic,
  shows,
  statusOfNode,
  takeAway,
  type Entry,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { merge, paths, podsOf, template } from './workload-world.ts'

// KEP-4212, 'PodTypes and Label Selectors Progression': its six blocks in their order.

const postgres = { matchLabels: { app: 'postgres' } }

const plan: readonly Entry[] = [
  { podPriority: 1_000, podType: 'Default' },
  { podPriority: 2_000, podType: 'Default', podSelector: postgres },
  { podPriority: all, podType: 'Default' },
  { podPriority: 1_000, podType: 'DaemonSet' },
  { podPriority: all, podType: 'DaemonSet' },
  { podPriority: all, podType: 'Static' },
]

function targets(
  everybody: number,
  withLabel: number,
  ...more: readonly (readonly [podType: 'DaemonSet' | 'Static', podPriority: number])[]
): Entry[] {
  return [
    { podPriority: everybody, podType: 'Default' },
    { podPriority: withLabel, podType: 'Default', podSelector: postgres },
    ...more.map(([podType, podPriority]) => ({ podPriority, podType })),
  ]
}

/** As status.nodeStatuses has it, and so the node itself. */
async function reaches(world: MaintenanceWorld, what: string, drainTargets: readonly Entry[]): Promise<void> {
  const look = async () => {
    const statuses = (await lookAtMaintenance(world, 'upgrade'))?.status.nodeStatuses ?? []
    return statuses.map((status) => ({ nodeRef: status.nodeRef, drainTargets: status.drainTargets }))
  }
  await shows(world, what, look, [{ nodeRef: { name: 'five' }, drainTargets }])
  const node = async () => {
    const seen = await lookAtNode(world, 'five')
    return seen === undefined ? undefined : statusOfNode(seen)?.drainTargets
  }
  await shows(world, 'the node says the same', node, drainTargets)
  await world.pass(1_500)
  await shows(world, 'it still does', node, drainTargets)
}

/** Its pod stays though it is told to go, until the story lets it. */
async function arrangeDaemon(world: MaintenanceWorld, name: string, priority: number): Promise<string> {
  const labels = { app: name }
  const spec = { terminationGracePeriodSeconds: 1, priorityClassName: `NS-${priority}` }
  await world.arrange('POST', paths.daemonSets, {
    metadata: { name, namespace: 'NS' },
    spec: {
      selector: { matchLabels: labels },
      template: { ...template(world, { spec, image: `${name}:1` }), metadata: { labels } },
    },
  })
  const pods = await world.eventually(
    `the pod of ${name} is there`,
    async () => (await podsOf(world)).filter(({ metadata }) => metadata.labels?.['app'] === name),
    (found) => found.length === 1 && found[0]?.spec.nodeName !== undefined,
  )
  const pod = pods[0]?.metadata.name ?? ''
  await world.arrange('PATCH', `${paths.pods}/${pod}`, { metadata: { finalizers: ['example.com/keeper'] } }, merge)
  return pod
}

/** It has been told to go, and what kept it lets go. */
async function letGo(world: MaintenanceWorld, pod: string): Promise<void> {
  await podIs(world, `${pod} ends`, pod, ({ metadata }) => metadata.deletionTimestamp !== undefined)
  await world.arrange('PATCH', `${paths.pods}/${pod}`, { metadata: { finalizers: null } }, merge)
}

async function arrangeNodeFive(world: MaintenanceWorld) {
  await arrangePriorities(world, [1_000, 2_000, 3_000, 5_000])
  await arrangeMachines(world, ['five'])
  await put(world, 'five', 'batch', { priority: 1_000, annotations: held })
  await put(world, 'five', 'database', { priority: 2_000, annotations: held, labels: { app: 'postgres' } })
  await put(world, 'five', 'web', { priority: 2_000, annotations: held })
  await put(world, 'five', 'gateway', { priority: 3_000, annotations: held })
  const logs = await arrangeDaemon(world, 'logs', 1_000)
  const network = await arrangeDaemon(world, 'network', 5_000)
  const manifest = { annotations: { [priorityOf(classOfHeld)]: '100' } }
  const etcd = await putStatic(world, 'five', 'etcd', manifest)
  return { logs, network, etcd }
}

/** A plan is completed on admission; only one that came when nobody did that is as short as the one of the KEP. */
async function announceUncompleted(world: MaintenanceWorld): Promise<void> {
  await world.lifeboat.kill()
  await world.lifeboat.start(['DeclarativeNodeMaintenance'])
  await announce(world, 'upgrade', { nodes: ['five'], drainPlan: plan })
  await world.lifeboat.kill()
  await world.lifeboat.start()
}

async function theProgression(world: MaintenanceWorld): Promise<void> {
  const { logs, network } = await arrangeNodeFive(world)
  await announceUncompleted(world)
  await reaches(world, 'podPriority 1000, also for postgres', targets(1_000, 1_000))
  await takeAway(world, 'batch')
  await reaches(world, 'podPriority 2000 for postgres', targets(1_000, 2_000))
  await takeAway(world, 'database')
  await reaches(world, 'everything of podType Default', targets(all, all))
  await takeAway(world, 'web')
  await takeAway(world, 'gateway')
  await reaches(world, 'DaemonSets up to 1000', targets(all, all, ['DaemonSet', 1_000]))
  await letGo(world, logs)
  await reaches(world, 'all DaemonSets', targets(all, all, ['DaemonSet', all]))
  await letGo(world, network)
  await reaches(world, 'static pods', targets(all, all, ['DaemonSet', all], ['Static', all]))
  await becomes(world, 'the static pod is left', {
    nodes: { five: 'cordoned by Lifeboat: Evacuating; 0 pending, 1 evacuating' },
  })
}

/** The same pods under a plan as it is admitted, which stops where its default entries are. */
async function theCompletedPlan(world: MaintenanceWorld): Promise<void> {
  const { logs, network } = await arrangeNodeFive(world)
  await put(world, 'five', 'coredns', { annotations: held, spec: { priorityClassName: 'system-cluster-critical' } })
  await announce(world, 'upgrade', { nodes: ['five'], drainPlan: plan })
  const user = 1_000_000_000
  const cluster = 2_000_000_000
  await reaches(world, 'podPriority 1000, also for postgres', targets(1_000, 1_000))
  await takeAway(world, 'batch')
  await reaches(world, 'podPriority 2000 for postgres', targets(1_000, 2_000))
  await takeAway(world, 'database')
  await reaches(world, 'all priorities of users', targets(user, user))
  await takeAway(world, 'web')
  await takeAway(world, 'gateway')
  await reaches(world, 'those that are critical for the cluster', targets(cluster, cluster))
  await takeAway(world, 'coredns')
  await reaches(world, 'DaemonSets up to 1000', targets(all, all, ['DaemonSet', 1_000]))
  await letGo(world, logs)
  await reaches(world, 'all DaemonSets of users', targets(all, all, ['DaemonSet', user]))
  await letGo(world, network)
  await reaches(world, 'static pods of users', targets(all, all, ['DaemonSet', all], ['Static', user]))
  const manifests = { 'lifeboat.test/static-pods': null }
  await world.arrange('PATCH', `/api/v1/nodes/NS-five`, { metadata: { annotations: manifests } }, merge)
  await world.attempt('DELETE', `${paths.pods}/etcd-NS-five`, { gracePeriodSeconds: 0 })
  await reaches(world, 'everything', targets(all, all, ['DaemonSet', all], ['Static', all]))
  await becomes(world, 'nothing is left', {
    nodes: { five: 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating' },
    maintenances: { upgrade: 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating' },
  })
}

export const progressionScenarios: readonly MaintenanceScenario[] = [
  {
    name: '"An example progression for the following drain plan might look as follows"',
    ownCluster: true,
    run: theProgression,
  },
  {
    name: 'with the default entries that admission adds the same pods leave in the same order',
    run: theCompletedPlan,
  },
]
