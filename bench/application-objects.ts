import type { Stored } from '../src/embedded/server/store.ts'
import { templateOf } from './descheduler-objects.ts'

// The Deployments that the pods of descheduler-objects.ts belong to, as controllers left them.

const createdAt = '2026-01-01T00:00:00Z'
const revision = { 'deployment.kubernetes.io/revision': '1' }
const hashLabel = 'pod-template-hash'

export interface Application {
  readonly deployment: Stored
  readonly replicaSet: Stored
  readonly budget: Stored
}

/** One with so many pods, of which a tenth may be missing. */
export function buildApplication(application: number, replicas: number): Application {
  const { namespace, labels, owner, spec } = templateOf(application)
  const { [hashLabel]: _, ...ownLabels } = labels
  const name = `application-${application}`
  const metadata = (ofName: string, kind: number, of: object = {}) => ({
    name: ofName,
    namespace,
    uid: `${kind}0000000-0000-4000-8000-${String(application).padStart(12, '0')}`,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: createdAt,
    ...of,
  })
  const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 1 }
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(name, 6, { annotations: revision }),
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: ownLabels }, spec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    },
    status: { ...counts, updatedReplicas: replicas },
  }
  const { uid } = deployment.metadata
  const controlledBy = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }
  const replicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...metadata(owner.name, 5, { labels, annotations: revision }),
      ownerReferences: [{ ...controlledBy, blockOwnerDeletion: true }],
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: name, [hashLabel]: labels[hashLabel] } },
      template: { metadata: { labels }, spec },
    },
    status: { ...counts, fullyLabeledReplicas: replicas },
  }
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(name, 7),
    spec: { maxUnavailable: '10%', selector: { matchLabels: { app: name } } },
    status: budgetStatus(replicas),
  }
  return { deployment, replicaSet, budget }
}

function budgetStatus(expectedPods: number): object {
  const disruptionsAllowed = Math.ceil(expectedPods / 10)
  const isAllowed = disruptionsAllowed > 0
  return {
    currentHealthy: expectedPods,
    desiredHealthy: expectedPods - disruptionsAllowed,
    expectedPods,
    disruptionsAllowed,
    observedGeneration: 1,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: isAllowed ? 'True' : 'False',
        observedGeneration: 1,
        reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
        message: '',
        lastTransitionTime: createdAt,
      },
    ],
  }
}

export function buildNamespace(name: string): Stored {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid: `namespace-${name}`, resourceVersion: '1', creationTimestamp: createdAt },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  }
}
