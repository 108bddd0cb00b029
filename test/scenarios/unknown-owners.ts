import {
  becomes,
  evacuate,
  isOver,
  keyOf,
  look,
  podsPath,
  stays,
  type EvacuationScenario,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { arrangeNodes, isReady, merge, paths, podsOf, strategic, template } from './workload-world.ts'

// Owners that Lifeboat does not know: their pods are evicted as anybody's, or left where they are, and nothing is ever
// changed about them. Told to any Kubernetes with Lifeboat on it.

const keeper = 'example.com/keeper'
const replicationControllers = '/api/v1/namespaces/NS/replicationcontrollers'
const cronJobs = '/apis/batch/v1/namespaces/NS/cronjobs'
const jobs = '/apis/batch/v1/namespaces/NS/jobs'
const configMaps = '/api/v1/namespaces/NS/configmaps'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Reference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
}

async function reference(
  world: EvacuationWorld,
  type: { readonly apiVersion: string; readonly kind: string },
  path: string,
): Promise<Reference> {
  return { ...type, ...keyOf((await world.read(path)).body), controller: true }
}

/** An object of a kind that somebody brought along, with Lifeboat none the wiser. */
async function arrangeCustom(world: EvacuationWorld, group: string, kind: string): Promise<Reference> {
  const plural = `${kind.toLowerCase()}s`
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  // There already if another story was told to the same cluster before.
  await world.attempt('POST', definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  const path = `/apis/${group}/v1/namespaces/NS/${plural}`
  const type = { apiVersion: `${group}/v1`, kind }
  const { body } = await world.eventually(
    `${kind} is served`,
    () => world.attempt('POST', path, { ...type, metadata: { name: 'web', namespace: 'NS' }, spec: {} }),
    ({ status }) => status === 201,
  )
  return { ...type, ...keyOf(body), controller: true }
}

/** A ReplicaSet as the controller of something like a Deployment makes it. */
async function arrangeReplicaSet(world: EvacuationWorld, owners: readonly Reference[]): Promise<PodKey> {
  const labels = { app: 'web', 'pod-template-hash': '5d4f8c7b9' }
  await world.arrange('POST', paths.replicaSets, {
    metadata: { name: 'web-5d4f8c7b9', namespace: 'NS', labels, ownerReferences: owners },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { ...template(world), metadata: { labels } } },
  })
  return onlyPod(world)
}

async function arrangePodOf(
  world: EvacuationWorld,
  ownerReferences: readonly Reference[],
  extra: { readonly metadata?: object; readonly spec?: object } = {},
): Promise<PodKey> {
  const { spec } = template(world, extra.spec === undefined ? {} : { spec: extra.spec }) as { spec: object }
  const metadata = { name: 'web-0', namespace: 'NS', labels: { app: 'web' }, ownerReferences, ...extra.metadata }
  await world.arrange('POST', podsPath, { metadata, spec })
  return onlyPod(world)
}

async function onlyPod(world: EvacuationWorld): Promise<PodKey> {
  const pods = await world.eventually(
    'one pod runs',
    () => podsOf(world),
    (found) => found.length === 1 && found.every(isReady),
  )
  const [pod] = pods
  if (pod === undefined) throw new Error('eventually returns what is right')
  return { name: pod.metadata.name, uid: pod.metadata.uid }
}

interface Marks {
  readonly labels?: object
  readonly annotations?: object
  readonly ownerReferences?: object
  readonly deletionTimestamp?: string
}

async function marksOf(world: EvacuationWorld, pod: PodKey): Promise<Marks> {
  const { body } = await world.read(`${podsPath}/${pod.name}`)
  return body['metadata'] ?? {}
}

/** What others than the API server could have changed. */
const rendered = ({ labels, annotations, ownerReferences }: Marks) =>
  JSON.stringify({ labels, annotations, ownerReferences })

/** The pod is kept after its eviction, so that whatever was done to it before shows. */
async function isEvictedUntouched(world: EvacuationWorld, pod: PodKey): Promise<void> {
  const path = `${podsPath}/${pod.name}`
  // Others, such as the Job controller, have finalizers there too, which come and go.
  await world.arrange('PATCH', path, { metadata: { finalizers: [keeper] } }, strategic)
  const before = await marksOf(world, pod)
  const callsBefore = await world.evictionCalls()
  await evacuate(world, pod)
  const after = await world.eventually(
    'the pod is evicted',
    () => marksOf(world, pod),
    ({ deletionTimestamp }) => deletionTimestamp !== undefined,
  )
  world.observe('evacuators', (await look(world, pod))?.spec.evacuators ?? [])
  world.observe('evictions', (await world.evictionCalls()) - callsBefore)
  world.observe('untouched', rendered(after) === rendered(before))
  await world.arrange('PATCH', path, { metadata: { '$deleteFromPrimitiveList/finalizers': [keeper] } }, strategic)
  await isOver(world, pod)
}

function evicted(name: string, arrange: (world: EvacuationWorld) => Promise<PodKey>): EvacuationScenario {
  return {
    name: `evicted, never released: ${name}`,
    run: async (world) => {
      await arrangeNodes(world, 2)
      await isEvictedUntouched(world, await arrange(world))
    },
  }
}

const jobSpec = (world: EvacuationWorld) => ({
  template: {
    ...template(world, { spec: { restartPolicy: 'Never' } }),
    metadata: { labels: { app: 'web' }, annotations: { 'lifeboat.test/complete-after': '60m' } },
  },
})

export const unknownOwnerScenarios: readonly EvacuationScenario[] = [
  evicted('the pod of an Argo Rollout, which owns the ReplicaSet that owns it', async (world) =>
    arrangeReplicaSet(world, [await arrangeCustom(world, 'argoproj.io', 'Rollout')]),
  ),
  evicted('the pod of a Deployment of another API group', async (world) =>
    arrangeReplicaSet(world, [await arrangeCustom(world, 'apps.owners.example.com', 'Deployment')]),
  ),
  evicted("the pod of somebody's own kind", async (world) =>
    arrangePodOf(world, [await arrangeCustom(world, 'owners.example.com', 'Gadget')]),
  ),
  evicted('the pod of a controller of a kind that is there no longer', (world) =>
    arrangePodOf(world, [
      { apiVersion: 'gone.owners.example.com/v1', kind: 'Relic', name: 'web', uid: 'no-such-uid', controller: true },
    ]),
  ),
  evicted('a bare pod', (world) => arrangePodOf(world, [])),
  evicted('the pod of a ReplicaSet without a Deployment', (world) => arrangeReplicaSet(world, [])),
  evicted('the pod of a ReplicationController', async (world) => {
    const { name } = await arrangePodOf(world, [])
    const type = { apiVersion: 'v1', kind: 'ReplicationController' }
    await world.arrange('POST', replicationControllers, {
      ...type,
      metadata: { name: 'web', namespace: 'NS' },
      spec: { replicas: 1, selector: { app: 'web' }, template: template(world) },
    })
    // Where its controller runs it does the same.
    const owner = await reference(world, type, `${replicationControllers}/web`)
    const ownerReferences = [{ ...owner, blockOwnerDeletion: true }]
    await world.arrange('PATCH', `${podsPath}/${name}`, { metadata: { ownerReferences } }, merge)
    return onlyPod(world)
  }),
  evicted('the pod of a Job', async (world) => {
    await world.arrange('POST', jobs, { metadata: { name: 'web', namespace: 'NS' }, spec: jobSpec(world) })
    return onlyPod(world)
  }),
  evicted('the pod of a Job of a CronJob', async (world) => {
    const type = { apiVersion: 'batch/v1', kind: 'CronJob' }
    const spec = { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: jobSpec(world) } }
    await world.arrange('POST', cronJobs, { ...type, metadata: { name: 'web', namespace: 'NS' }, spec })
    const ownerReferences = [await reference(world, type, `${cronJobs}/web`)]
    await world.arrange('POST', jobs, {
      metadata: { name: 'web', namespace: 'NS', ownerReferences },
      spec: jobSpec(world),
    })
    return onlyPod(world)
  }),
  evicted('a pod with two owners and no controller', async (world) => {
    const owners: Reference[] = []
    for (const name of ['one', 'two']) {
      const type = { apiVersion: 'v1', kind: 'ConfigMap' }
      await world.arrange('POST', configMaps, { ...type, metadata: { name, namespace: 'NS' } })
      const owner = await reference(world, type, `${configMaps}/${name}`)
      owners.push({ ...owner, controller: false })
    }
    return arrangePodOf(world, owners)
  }),
  {
    name: 'left where it is, and untouched: a static pod',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 2)
      const owner = await reference(world, { apiVersion: 'v1', kind: 'Node' }, `/api/v1/nodes/${node}`)
      const pod = await arrangePodOf(world, [owner], {
        metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } },
        spec: { nodeName: node, automountServiceAccountToken: false },
      })
      const before = await marksOf(world, pod)
      await evacuate(world, pod)
      await becomes(world, pod, 'it says why', ({ status }) => status.conditions?.[0]?.reason === 'NotEvictable')
      await stays(world, pod)
      world.observe('untouched', rendered(await marksOf(world, pod)) === rendered(before))
      world.observe('evictions', await world.evictionCalls())
    },
  },
]
