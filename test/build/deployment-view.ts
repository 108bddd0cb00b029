import type { Evacuation } from '../../src/api/evacuation/evacuation.ts'
import type { Deployment, ReplicaSet } from '../../src/api/kubernetes/apps.ts'
import type { Pod, PodCondition, PodStatus } from '../../src/api/kubernetes/core.ts'
import type { OwnerReference } from '../../src/api/kubernetes/meta.ts'
import { annotations, labels } from '../../src/api/names.ts'
import type { DeploymentView } from '../../src/evacuators/deployment/deployment-view.ts'
import { renderReleasedFrom } from '../../src/evacuators/workload/released-from.ts'

// A Deployment `web` with one ReplicaSet, as an evacuator sees it at noon.

export const nowMs = Date.parse('2026-01-01T12:00:00Z')
export const at = (secondsAgo: number) => new Date(nowMs - secondsAgo * 1_000).toISOString()
export const hash = '5f6d'
const namespace = 'shop'

export interface PodChoices {
  /** Ready for so many seconds, or not at all. */
  readonly readyFor?: number | false
  readonly createdAgo?: number
  /** Seconds ago. */
  readonly releasedAgo?: number
  readonly terminating?: boolean
  readonly status?: PodStatus
  readonly conditions?: readonly PodCondition[]
  readonly claim?: string
  readonly owner?: OwnerReference | 'none'
}

const controlledBy = (kind: string, name: string, uid: string): OwnerReference => {
  return { apiVersion: 'apps/v1', kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** As a release leaves it. */
const plain = (owner: OwnerReference): OwnerReference => ({ ...owner, controller: false, blockOwnerDeletion: false })

export function buildAppPod(name: string, choices: PodChoices = {}): Pod {
  const { readyFor = 3_600, createdAgo = 3_600, releasedAgo, terminating, claim } = choices
  const isReleased = releasedAgo !== undefined
  const owner = choices.owner ?? controlledBy('ReplicaSet', `web-${hash}`, 'set')
  const ready: PodCondition =
    readyFor === false
      ? { type: 'Ready', status: 'False', lastTransitionTime: at(createdAgo) }
      : { type: 'Ready', status: 'True', lastTransitionTime: at(readyFor) }
  const from = { hash, replicaSet: `web-${hash}`, deployment: { name: 'web', uid: 'deployment' } }
  return {
    metadata: {
      namespace,
      name,
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: at(createdAgo),
      labels: { app: 'web', ...(isReleased ? { [labels.released]: 'true' } : { 'pod-template-hash': hash }) },
      ...(isReleased
        ? {
            annotations: {
              [annotations.releasedFrom]: renderReleasedFrom({ ...from, atMs: nowMs - releasedAgo * 1_000 }),
            },
          }
        : {}),
      ownerReferences: owner === 'none' ? [] : [isReleased ? plain(owner) : owner],
      ...(terminating === true ? { deletionTimestamp: at(0) } : {}),
    },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'main' }],
      ...(claim === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
    },
    status: { phase: 'Running', conditions: [ready, ...(choices.conditions ?? [])], ...choices.status },
  }
}

export function buildAppDeployment(
  spec: Deployment['spec'] = {},
  metadata: Partial<Deployment['metadata']> = {},
): Deployment {
  return {
    metadata: { namespace, name: 'web', uid: 'deployment', resourceVersion: '1', ...metadata },
    spec: {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      ...spec,
    },
  }
}

export function buildAppReplicaSet(replicas: number, extra: Partial<ReplicaSet> = {}): ReplicaSet {
  return {
    metadata: {
      namespace,
      name: `web-${hash}`,
      uid: 'set',
      resourceVersion: '1',
      ownerReferences: [controlledBy('Deployment', 'web', 'deployment')],
    },
    spec: { replicas, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
    ...extra,
  }
}

export function buildAppEvacuation(pod: Pod): Evacuation {
  const { name, uid } = pod.metadata
  return {
    metadata: {
      namespace,
      name: `${uid}-${name}`,
      uid: 'evacuation',
      resourceVersion: '1',
      creationTimestamp: at(60),
    },
    spec: { podRef: { name, uid }, progressDeadlineSeconds: 1_800 },
  }
}

/** All pods of a Deployment, the first of which should leave. */
export function buildDeploymentView(
  pods: readonly [Pod, ...Pod[]],
  extra: Partial<DeploymentView> = {},
): DeploymentView {
  const [pod] = pods
  const isReleased = ({ metadata }: Pod) => metadata.labels?.['pod-template-hash'] === undefined
  const owned = pods.filter((other) => !isReleased(other))
  const replicaSet = buildAppReplicaSet(extra.deployment?.spec?.replicas ?? 1)
  return {
    evacuation: buildAppEvacuation(pod),
    pod,
    deployment: buildAppDeployment(),
    replicaSet,
    replicaSets: [replicaSet],
    owned,
    released: pods.filter(isReleased),
    budgets: [],
    claims: [],
    evictionAskedMs: undefined,
    ...extra,
  }
}
