import { isDeepStrictEqual } from 'node:util'
import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { Next } from '../../../runtime/work-queue.ts'
import type { DisruptionBudget } from '../../server/eviction/disruption-budget.ts'
import { keyOf, type Stored, readAs } from '../../server/store.ts'
import { againAt, ownKey, settled, type Wakes, startControlLoop } from '../control-loop.ts'
import type { ControllerParts, StartController } from '../controller.ts'
import { areSame, type Part } from '../same-parts.ts'
import { planBudgetStatus } from './plan-budget-status.ts'

const budgets = 'poddisruptionbudgets.policy'

/** Who selects a pod, whether it is healthy, and whose it is. */
const counted: readonly Part[] = ['labels', 'status', 'ownerReferences', 'deletionTimestamp']
/** How many pods are wanted, and by whom. */
const scaling: readonly Part[] = ['spec', 'ownerReferences']

/** Keeps the status of every PodDisruptionBudget true. */
export const startDisruption: StartController = (parts) => {
  const budgetsOfPod: Wakes = (pod, previous, type) => {
    if (previous === undefined) return budgetsMatching(parts, [pod])
    return type === 'MODIFIED' && areSame(counted, pod, previous) ? [] : budgetsMatching(parts, [pod, previous])
  }
  const budgetsOfOwner: Wakes = (owner, previous, type) => {
    if (type === 'MODIFIED' && previous !== undefined && areSame(scaling, owner, previous)) return []
    return parts.store.list(budgets, owner.metadata.namespace).map(({ metadata }) => keyOf(metadata))
  }
  return startControlLoop({
    name: 'disruption',
    parts,
    reconcile: (key) => reconcile(parts, key),
    wakes: {
      [budgets]: ownKey,
      pods: budgetsOfPod,
      'replicasets.apps': budgetsOfOwner,
      'deployments.apps': budgetsOfOwner,
      'statefulsets.apps': budgetsOfOwner,
    },
  })
}

async function reconcile(parts: ControllerParts, key: string): Promise<Next> {
  const stored = parts.store.get(budgets, key)
  if (stored === undefined) return settled
  const budget = readAs<DisruptionBudget>(stored)
  const pods = parts.store.list('pods', budget.metadata.namespace).filter((pod) => selects(budget, pod))
  const view = { budget, pods, scaleOf: (pod: Stored) => scaleOf(parts, pod) }
  const { status, againAtMs } = planBudgetStatus(view, parts.clock.nowMs())
  if (!isDeepStrictEqual(status, budget.status)) await parts.api.replace(budgets, { ...stored, status }, 'status')
  return againAt(againAtMs)
}

function budgetsMatching({ store }: ControllerParts, pods: readonly Stored[]): string[] {
  const namespace = pods[0]?.metadata.namespace
  const matching = (store.list(budgets, namespace) as readonly DisruptionBudget[]).filter((budget) =>
    pods.some((pod) => selects(budget, pod)),
  )
  return matching.map(({ metadata }) => keyOf(metadata))
}

function selects({ spec }: DisruptionBudget, pod: Stored): boolean {
  return spec?.selector !== undefined && matchesLabelSelector(spec.selector, pod.metadata.labels)
}

const scaledKinds: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
}

/** The scale of a ReplicaSet that a Deployment made is that of the Deployment: in the middle of a rollout it has two. */
function scaleOf(parts: ControllerParts, pod: Stored): { uid: string; replicas: number } | 'unknown' | undefined {
  const owner = controllerOf(pod)
  if (owner === undefined) return undefined
  const { namespace } = pod.metadata
  const resource = scaledKinds[owner.kind]
  const found = resource === undefined ? undefined : parts.store.get(resource, keyOf({ name: owner.name, namespace }))
  if (found === undefined || found.metadata.uid !== owner.uid) return 'unknown'
  const above = controllerOf(found)
  const deployment =
    above?.kind === 'Deployment'
      ? parts.store.get('deployments.apps', keyOf({ name: above.name, namespace }))
      : undefined
  const scaled = deployment !== undefined && deployment.metadata.uid === above?.uid ? deployment : found
  return {
    uid: scaled.metadata.uid,
    replicas: (scaled['spec'] as { replicas?: number } | undefined)?.replicas ?? 1,
  }
}

function controllerOf({ metadata }: Stored) {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}
