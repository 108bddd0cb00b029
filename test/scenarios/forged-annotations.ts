import { arrangeBudget } from './lifeboat-world.ts'
import { arrangeDaemons } from './maintenance-workloads.ts'
import {
  addMachine,
  announce,
  arrangeMachines,
  becomes,
  evacuationsOf,
  isReadyMachine,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { isReady, merge, paths, podsOf, template, type PodSeen } from './workload-world.ts'

// Whoever may patch pods may write any annotation. None of them makes Lifeboat take a pod past its budget.

const prefix = 'evacuation.coordination.k8s.io'
const configMaps = '/api/v1/namespaces/NS/configmaps'

/** Applications of every owner kind, by their label `app`, and how many pods each has on node one. */
const apps = { bare: 1, custom: 1, set: 1, surge: 1, recreate: 1, database: 2, work: 1 } as const

const labelled = (world: MaintenanceWorld, app: string, extra: Parameters<typeof template>[1] = {}) => ({
  ...template(world, { ...extra, spec: { terminationGracePeriodSeconds: 1, ...extra.spec } }),
  metadata: { labels: { app }, ...(extra.annotations === undefined ? {} : { annotations: extra.annotations }) },
})

const spec = (world: MaintenanceWorld, app: string, more: object = {}) => ({
  metadata: { name: app, namespace: 'NS' },
  spec: { replicas: 1, selector: { matchLabels: { app } }, template: labelled(world, app), ...more },
})

async function arrangeApps(world: MaintenanceWorld): Promise<readonly PodSeen[]> {
  await arrangeMachines(world, ['one'])
  await arrangeDaemons(world, ['logs'])
  await world.arrange('POST', paths.replicaSets, spec(world, 'set'))
  await world.arrange('POST', paths.deployments, spec(world, 'surge'))
  await world.arrange('POST', paths.deployments, spec(world, 'recreate', { strategy: { type: 'Recreate' } }))
  const parallel = { replicas: 2, serviceName: 'database', podManagementPolicy: 'Parallel' }
  await world.arrange('POST', paths.statefulSets, spec(world, 'database', parallel))
  const long = { annotations: { 'lifeboat.test/complete-after': '30m' }, spec: { restartPolicy: 'Never' } }
  await world.arrange('POST', paths.jobs, {
    metadata: { name: 'work', namespace: 'NS' },
    spec: { template: labelled(world, 'work', long) },
  })
  const { body } = await world.arrange('POST', configMaps, { metadata: { name: 'owner', namespace: 'NS' } })
  const { uid } = body['metadata'] as { uid: string }
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }
  for (const [app, ownerReferences] of [['bare', []] as const, ['custom', [owner]] as const]) {
    const { metadata, spec: podSpec } = labelled(world, app) as { metadata: object; spec: object }
    await world.arrange('POST', paths.pods, {
      metadata: { name: app, namespace: 'NS', ...metadata, ownerReferences },
      spec: podSpec,
    })
  }
  const total = Object.values<number>(apps).reduce((sum, count) => sum + count, 1)
  return world.eventually(
    'all pods are ready',
    () => podsOf(world),
    (pods) => pods.length === total && pods.every(isReady),
  )
}

interface Forgery {
  readonly what: string
  readonly forge: (world: MaintenanceWorld) => Promise<{
    readonly annotations: Readonly<Record<string, string>>
    readonly labels?: Readonly<Record<string, string>>
  }>
}

const from = (hash: string, replicaSet: string, deployment: object) =>
  JSON.stringify({ hash, replicaSet, deployment, at: '2024-04-22T21:40:32Z' })
const classOf = (name: string) => ({ [`${prefix}/priority_${name}.apps.k8s.io`]: '10000/controller' })

/** The Deployment that is there, and its ReplicaSet, as a released pod of it would name them. */
async function realRelease(world: MaintenanceWorld): Promise<string> {
  const { metadata } = (await world.read(`${paths.deployments}/surge`)).body as { metadata: { uid: string } }
  const sets = (await world.read(paths.replicaSets)).body['items'] as {
    metadata: { name: string; labels?: Record<string, string> }
  }[]
  const set = sets.find(({ metadata: { name } }) => name.startsWith('surge-'))
  const hash = set?.metadata.labels?.['pod-template-hash'] ?? ''
  return from(hash, set?.metadata.name ?? '', { name: 'surge', uid: metadata.uid })
}

const forgeries: readonly Forgery[] = [
  { what: 'the evacuator of DaemonSets', forge: async () => ({ annotations: classOf('daemonset') }) },
  {
    what: 'a release from a Deployment that never was',
    forge: async () => ({
      annotations: {
        ...classOf('deployment'),
        [`${prefix}/released-from`]: from('5d', 'gone-5d', { name: 'gone', uid: 'never' }),
      },
    }),
  },
  {
    what: 'a release from the Deployment of somebody else, and the label of a release',
    forge: async (world) => ({
      annotations: { ...classOf('deployment'), [`${prefix}/released-from`]: await realRelease(world) },
      labels: { [`${prefix}/released`]: 'true', 'nodemaintenance.k8s.io/held': 'true' },
    }),
  },
  {
    what: 'that somebody wants them gone, and the evacuator of StatefulSets',
    forge: async () => ({
      annotations: {
        ...classOf('statefulset'),
        'kubernetes.io/pod-evict-wanted': 'true',
        'descheduler.alpha.kubernetes.io/eviction-in-progress': 'lifeboat',
        [`${prefix}/registered`]: 'statefulset.apps.k8s.io',
      },
    }),
  },
]

/** What budgets refuse to let go stays; surging needs no budget to give way. */
async function staysGuarded(world: MaintenanceWorld, guarded: ReadonlySet<string>): Promise<void> {
  await world.eventually(
    'budgets refuse evictions',
    async () => (await evacuationsOf(world)).length,
    (count) => count >= guarded.size,
  )
  await world.pass(5_000)
  const there = (await podsOf(world)).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const gone = [...guarded].filter((uid) => !there.some(({ metadata }) => metadata.uid === uid))
  if (gone.length > 0) throw new Error(`${gone.length} pods went past their budgets`)
  world.observe('everything that a budget guards is there', guarded.size)
}

function scenario({ what, forge }: Forgery, hasBudgets: boolean): MaintenanceScenario {
  return {
    name: `pods of every owner kind that say ${what}, ${hasBudgets ? 'under budgets' : 'without budgets'}: none goes but through an accepted eviction`,
    run: async (world) => {
      const pods = await arrangeApps(world)
      const isDaemon = ({ metadata }: PodSeen) => metadata.labels?.['app'] === 'logs'
      const others = pods.filter((pod) => !isDaemon(pod))
      if (hasBudgets) {
        for (const [app, count] of Object.entries(apps)) {
          const selector = { matchLabels: { app } }
          await arrangeBudget(world, app, { selector, minAvailable: count }, { currentHealthy: count })
        }
      }
      const body = { metadata: await forge(world) }
      for (const { metadata } of others) await world.arrange('PATCH', `${paths.pods}/${metadata.name}`, body, merge)
      await addMachine(world, 'two')
      await isReadyMachine(world, 'two')
      const departures = await world.sampleDepartures()
      await announce(world, 'upgrade', { nodes: ['one'] })
      if (hasBudgets) {
        const guarded = others.filter(({ metadata }) => metadata.labels?.['app'] !== 'surge')
        await staysGuarded(world, new Set(guarded.map(({ metadata }) => metadata.uid)))
        for (const app of Object.keys(apps)) await world.arrange('DELETE', `${paths.budgets}/${app}`)
      }
      await becomes(world, 'it is drained', {
        nodes: { one: 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating' },
      })
      const gone = departures.withoutEviction(new Set(others.map(({ metadata }) => metadata.uid)))
      if (gone.length > 0) throw new Error(`went without an accepted eviction: ${gone.join(', ')}`)
      world.observe('all went through an accepted eviction', others.length)
    },
  }
}

export const forgedAnnotationScenarios: readonly MaintenanceScenario[] = forgeries.flatMap((forgery) => [
  scenario(forgery, true),
  scenario(forgery, false),
])
