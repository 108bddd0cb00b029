import { arrangeBudget, look, podsPath } from './lifeboat-world.ts'
import {
  addMachine,
  announce,
  arrangeMachines,
  becomes,
  evacuationsOf,
  isReadyMachine,
  isSaidOnce,
  lookAtNode,
  plain,
  podIs,
  put,
  remove,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { arrangeDaemons, daemonsAre } from './maintenance-workloads.ts'
import { isReady, merge, paths, podsOf, template } from './workload-world.ts'

// An ordinary drain, from its announcement to its end, with everything that clusters run.

const old = ['one', 'two', 'three']
const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'

const labelled = (world: MaintenanceWorld, app: string, more: Parameters<typeof template>[1] = {}) => ({
  ...template(world, { ...more, spec: { terminationGracePeriodSeconds: 1, ...more?.spec } }),
  metadata: { labels: { app }, ...(more?.annotations === undefined ? {} : { annotations: more.annotations }) },
})

const budget = (name: string, spec: object) => ({ selector: { matchLabels: { app: name } }, ...spec })

async function arrangeWorkloads(world: MaintenanceWorld): Promise<void> {
  await world.arrange('POST', paths.deployments, {
    metadata: { name: 'single', namespace: 'NS' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'single' } }, template: labelled(world, 'single') },
  })
  await world.arrange('POST', paths.deployments, {
    metadata: { name: 'web', namespace: 'NS' },
    spec: { replicas: 6, selector: { matchLabels: { app: 'web' } }, template: labelled(world, 'web') },
  })
  await world.arrange('POST', paths.statefulSets, {
    metadata: {
      name: 'database',
      namespace: 'NS',
      annotations: { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' },
    },
    spec: {
      replicas: 3,
      serviceName: 'database',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: { app: 'database' } },
      template: labelled(world, 'database'),
    },
  })
  await world.arrange('POST', paths.jobs, {
    metadata: { name: 'work', namespace: 'NS' },
    spec: {
      template: labelled(world, 'work', {
        annotations: { 'lifeboat.test/complete-after': '30m' },
        spec: { restartPolicy: 'Never' },
      }),
    },
  })
  await arrangeDaemons(world, ['logs'])
  await put(world, 'one', 'bare')
}

/** How many pods of each app are ready, and on which kind of node. */
async function placesOf(world: MaintenanceWorld): Promise<Record<string, string>> {
  const places: Record<string, { old: number; new: number }> = {}
  for (const pod of await podsOf(world)) {
    const place = (places[pod.metadata.labels?.['app'] ?? ''] ??= { old: 0, new: 0 })
    if (!isReady(pod) || pod.spec.nodeName === undefined) continue
    if (old.includes(plain(world, pod.spec.nodeName))) place.old++
    else place.new++
  }
  const line = (place: { old: number; new: number }) => `${place.old} on the old nodes, ${place.new} on the new ones`
  return Object.fromEntries(Object.entries(places).map(([app, place]) => [app, line(place)]))
}

async function areOn(world: MaintenanceWorld, what: string, expected: Readonly<Record<string, string>>) {
  const seen = await world.eventually(
    `${what}: ${JSON.stringify(expected)}`,
    () => placesOf(world),
    (places) =>
      Object.keys(places).length === Object.keys(expected).length &&
      Object.entries(expected).every(([app, line]) => places[app] === line),
  )
  world.observe(what, seen)
}

const onOld = (count: number) => `${count} on the old nodes, 0 on the new ones`
const onNew = (count: number) => `0 on the old nodes, ${count} on the new ones`

async function ordinaryDrain(world: MaintenanceWorld): Promise<void> {
  await arrangeMachines(world, old)
  await arrangeWorkloads(world)
  await areOn(world, 'everything runs', {
    single: onOld(1),
    web: onOld(6),
    database: onOld(3),
    work: onOld(1),
    bare: onOld(1),
    logs: onOld(3),
  })
  const counted = (count: number) => ({ expectedPods: count, currentHealthy: count })
  await arrangeBudget(world, 'single', budget('single', { minAvailable: 1 }), counted(1))
  await arrangeBudget(world, 'web', budget('web', { minAvailable: '100%' }), counted(6))
  await arrangeBudget(world, 'database', budget('database', { maxUnavailable: 1 }), counted(3))
  for (const name of ['four', 'five']) await addMachine(world, name)
  for (const name of ['four', 'five']) await isReadyMachine(world, name)
  await daemonsAre(world, 'the new nodes are ready', { four: 'logs', five: 'logs' })
  const readiness = await world.sampleReadiness()
  await world.eventually(
    'the sampler has seen all',
    async () => [readiness.ready('single'), readiness.ready('web'), readiness.ready('database')].join(),
    (seen) => seen === '1,6,3',
  )
  readiness.reset()
  await announce(world, 'upgrade', { nodes: old, reason: 'OS upgrade' })
  await becomes(world, 'all is drained', {
    nodes: { one: drained, two: drained, three: drained, four: 'schedulable', five: 'schedulable' },
    maintenances: { upgrade: 'Drain, held, drained: Drained; 3 of 3 nodes drained; 0 pending, 0 evacuating' },
  })
  await areOn(world, 'everything runs elsewhere', {
    single: onNew(1),
    web: onNew(6),
    database: onNew(3),
    work: onNew(1),
    logs: onNew(2),
  })
  const enough = { single: 1, web: 6, database: 2 }
  for (const [app, wanted] of Object.entries(enough)) {
    if (readiness.lowest(app) < wanted) throw new Error(`${app} had ${readiness.lowest(app)} ready pods, not ${wanted}`)
  }
  world.observe('never fewer than', enough)
  await world.eventually(
    'no Evacuation is left',
    () => evacuationsOf(world),
    (found) => found.length === 0,
  )
  await isSaidOnce(world, 'NodeMaintenance', 'upgrade', 'Drained')
  await remove(world, 'upgrade')
  await becomes(world, 'all is back', {
    nodes: { one: 'schedulable', two: 'schedulable', three: 'schedulable', four: 'schedulable', five: 'schedulable' },
    maintenances: { upgrade: 'gone' },
  })
  await daemonsAre(world, 'DaemonSets are everywhere', {
    one: 'logs',
    two: 'logs',
    three: 'logs',
    four: 'logs',
    five: 'logs',
  })
}

const reasons: MaintenanceScenario = {
  name: '"critical-ds is terminating the pod due to node maintenance (OS upgrade).": the reason is told where it matters',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await arrangeDaemons(world, ['logs'])
    await daemonsAre(world, 'it runs', { one: 'logs' })
    const [pod] = await podsOf(world)
    if (pod === undefined) throw new Error('there is a pod')
    const path = `${podsPath}/${pod.metadata.name}`
    await world.arrange('PATCH', path, { metadata: { finalizers: ['example.com/keeper'] } }, merge)
    await announce(world, 'upgrade', { nodes: ['one'], reason: 'OS upgrade' })
    const seen = await world.eventually(
      'its Evacuation says why',
      () => look(world, pod.metadata),
      (found) => found?.status.message.startsWith('logs is terminating') === true,
    )
    world.observe('message', seen?.status.message)
    if (seen?.status.message.includes('(OS upgrade)') !== true) throw new Error(`${seen?.status.message}`)
    const node = await lookAtNode(world, 'one')
    const status = node?.metadata.annotations?.['nodemaintenance.k8s.io/maintenance-status'] ?? '{}'
    world.observe('the node knows it', (JSON.parse(status) as { reason?: string }).reason)
    await podIs(world, 'it ends', pod.metadata.name, ({ metadata }) => metadata.deletionTimestamp !== undefined)
    await world.arrange('PATCH', path, { metadata: { finalizers: null } }, merge)
    await becomes(world, 'it is drained', { nodes: { one: drained } })
  },
}

export const drainScenarios: readonly MaintenanceScenario[] = [
  {
    name: 'three nodes with Deployments under strict budgets, a StatefulSet, a DaemonSet, a Job and a bare pod: drained, never too few, and back',
    run: ordinaryDrain,
  },
  reasons,
]
