import type { Pod } from '../../src/api/kubernetes/core.ts'
import {
  arrangeDaemons,
  drain,
  isBlockedBy,
  keeper,
  type DaemonSetScenario,
  type DaemonSetWorld,
} from './daemon-set-evacuation.ts'
import { becomes, budgetsPath, isOver, keyOf, podsPath, priorityOf, stays, type PodKey } from './lifeboat-world.ts'
import { arrangeNodes, merge, paths, template } from './workload-world.ts'

// Whoever may patch a pod may write into it that the DaemonSet evacuator takes care of it. That evacuator deletes pods
// past their budgets, so it must do so to pods of DaemonSets alone: all others leave by an eviction that was accepted.

const jobs = '/apis/batch/v1/namespaces/NS/jobs'
const labels = { app: 'web' }
/** Before every other evacuator. */
const annotations = {
  [priorityOf('daemonset.apps.k8s.io')]: '50000',
  // For a Job, whose pods would soon be done.
  'lifeboat.test/complete-after': '60m',
}

interface Forgery {
  readonly owner: string
  readonly arrange: (world: DaemonSetWorld, pod: object) => Promise<unknown>
}

/** The pod carries a finalizer, so that it can be looked at when it is going. */
const podOf = (world: DaemonSetWorld, spec: object = {}) => ({
  ...template(world, { spec: { terminationGracePeriodSeconds: 1, ...spec } }),
  metadata: { labels, annotations, finalizers: [keeper] },
})
const selector = { matchLabels: labels }
const metadata = { name: 'web', namespace: 'NS' }

const forgeries: readonly Forgery[] = [
  {
    owner: 'nobody',
    arrange: (world, pod) => world.arrange('POST', podsPath, withMetadata(pod, metadata)),
  },
  {
    owner: 'a ReplicaSet',
    arrange: (world, pod) =>
      world.arrange('POST', paths.replicaSets, { metadata, spec: { replicas: 1, selector, template: pod } }),
  },
  {
    owner: 'a Deployment',
    arrange: (world, pod) =>
      world.arrange('POST', paths.deployments, {
        metadata,
        spec: { replicas: 1, selector, strategy: { type: 'Recreate' }, template: pod },
      }),
  },
  {
    owner: 'a StatefulSet',
    arrange: (world, pod) =>
      world.arrange('POST', paths.statefulSets, {
        metadata,
        spec: { replicas: 1, selector, serviceName: 'web', template: pod },
      }),
  },
  {
    owner: 'a Job',
    arrange: (world) => {
      const spec = { template: podOf(world, { restartPolicy: 'Never' }), backoffLimit: 3 }
      return world.arrange('POST', jobs, { metadata, spec })
    },
  },
  {
    // The controller of a DaemonSet lets go of what it does not select.
    owner: 'nobody, though it names a DaemonSet',
    arrange: async (world, pod) => {
      await arrangeDaemons(world, 'logs', { spec: { nodeSelector: { scenario: 'nowhere' } } })
      const { name, uid } = keyOf((await world.read(`${paths.daemonSets}/logs`)).body)
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid, controller: true }]
      await world.arrange('POST', podsPath, withMetadata(pod, { ...metadata, ownerReferences }))
    },
  },
]

function withMetadata(pod: object, more: object): object {
  return { ...pod, metadata: { ...(pod as Pod).metadata, ...more } }
}

async function onlyPod(world: DaemonSetWorld): Promise<PodKey> {
  const { body } = await world.eventually(
    'its pod runs',
    () => world.read(podsPath),
    ({ body: list }) => (list['items'] as Pod[]).some(isReady),
  )
  const pod = (body['items'] as Pod[]).find(isReady)
  return keyOf(pod as unknown as Record<string, unknown>)
}

const isReady = ({ status }: Pod) =>
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false

/** What made the pod go: an eviction leaves a condition behind, a deletion none. */
async function observeHowItGoes(world: DaemonSetWorld, pod: PodKey): Promise<void> {
  const path = `${podsPath}/${pod.name}`
  const { body } = await world.eventually(
    'it is going',
    () => world.read(path),
    ({ body: seen }) => (seen['metadata'] as Pod['metadata']).deletionTimestamp !== undefined,
  )
  const conditions = (body as unknown as Pod).status?.conditions ?? []
  const why = conditions.find(({ type }) => type === 'DisruptionTarget')?.reason
  world.observe('it goes by', why ?? 'a deletion')
  const left = (body['metadata'] as Pod['metadata']).finalizers?.filter((name) => name !== keeper) ?? []
  await world.arrange('PATCH', path, { metadata: { finalizers: left.length === 0 ? null : left } }, merge)
  await isOver(world, pod)
}

/** With a number, it can be counted for pods of anybody. */
async function arrangeBudget(world: DaemonSetWorld): Promise<void> {
  const spec = { selector, minAvailable: 1 }
  await world.arrange('POST', budgetsPath, { metadata: { name: 'strict', namespace: 'NS' }, spec })
}

const evicted = ({ owner, arrange }: Forgery): DaemonSetScenario => ({
  name: `a pod of ${owner} that names the DaemonSet evacuator leaves by an eviction, and not before its budget allows it`,
  run: async (world) => {
    await arrangeNodes(world, 1)
    await arrange(world, podOf(world))
    const pod = await onlyPod(world)
    await arrangeBudget(world)
    await drain(world)
    await becomes(world, pod, 'the budget refuses', isBlockedBy('DisruptionBudget'))
    await stays(world, pod, 5_000)
    await world.arrange('DELETE', `${budgetsPath}/strict`)
    await observeHowItGoes(world, pod)
  },
})

const deleted: DaemonSetScenario = {
  name: 'a pod of a DaemonSet that names the DaemonSet evacuator is deleted in its turn, whatever its budget says, and not before',
  run: async (world) => {
    await arrangeNodes(world, 1)
    await world.arrange('POST', paths.daemonSets, { metadata, spec: { selector, template: podOf(world) } })
    const pod = await onlyPod(world)
    await arrangeBudget(world)
    await stays(world, pod)
    await drain(world)
    await observeHowItGoes(world, pod)
  },
}

export const forgeryScenarios: readonly DaemonSetScenario[] = [...forgeries.map(evicted), deleted]
