import { expect, test } from 'vitest'
import { buildAppDeployment, buildAppPod, buildAppReplicaSet } from '../../../test/build/deployment-view.ts'
import { buildWorkloadReader } from '../../../test/build/workload-world.ts'
import type { Deployment, ReplicaSet } from '../../api/kubernetes/apps.ts'
import { deployments, replicaSets } from '../../api/kubernetes/resources.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { deployment } from './deployment.ts'

const owner = (kind: string, apiVersion: string) => ({
  apiVersion,
  kind,
  name: 'web-5f6d',
  uid: 'set',
  controller: true,
})

function withOwners(...ownerReferences: ReturnType<typeof owner>[]) {
  const { metadata, ...pod } = buildAppPod('a')
  return { ...pod, metadata: { ...metadata, ownerReferences } }
}

interface Row {
  readonly name: string
  readonly pod?: ReturnType<typeof buildAppPod>
  readonly set?: ReplicaSet
  readonly web?: Deployment
  readonly claimed: boolean
}

test.each<Row>([
  { name: 'a pod of a Deployment that may surge', claimed: true },
  { name: 'a pod that was released from one', pod: buildAppPod('a', { releasedAgo: 1 }), claimed: true },
  {
    name: 'a pod that has been put back and is not adopted yet',
    pod: buildAppPod('a', { owner: { ...owner('ReplicaSet', 'apps/v1'), controller: false } }),
    claimed: true,
  },
  {
    name: 'a pod of a StatefulSet that has a ReplicaSet as another owner',
    pod: withOwners(owner('StatefulSet', 'apps/v1'), { ...owner('ReplicaSet', 'apps/v1'), controller: false }),
    claimed: false,
  },
  {
    name: 'a pod of a Deployment that recreates',
    web: buildAppDeployment({ strategy: { type: 'Recreate' } }),
    claimed: false,
  },
  { name: 'a pod of nobody', pod: buildAppPod('a', { owner: 'none' }), claimed: false },
  { name: 'a pod of a StatefulSet', pod: buildAppPod('a', { owner: owner('StatefulSet', 'apps/v1') }), claimed: false },
  {
    name: 'a pod of somebody else’s ReplicaSet',
    pod: buildAppPod('a', { owner: owner('ReplicaSet', 'argoproj.io/v1') }),
    claimed: false,
  },
  {
    name: 'a pod of a ReplicaSet without a Deployment',
    set: buildAppReplicaSet(1, { metadata: storedMeta({ namespace: 'shop', name: 'web-5f6d', uid: 'set' }) }),
    claimed: false,
  },
  {
    name: 'a pod of a ReplicaSet of an Argo Rollout',
    set: buildAppReplicaSet(1, {
      metadata: {
        namespace: 'shop',
        name: 'web-5f6d',
        uid: 'set',
        resourceVersion: '1',
        ownerReferences: [
          { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', name: 'web', uid: 'deployment', controller: true },
        ],
      },
    }),
    claimed: false,
  },
  {
    name: 'a pod whose ReplicaSet is another by now',
    set: buildAppReplicaSet(1, { metadata: storedMeta({ namespace: 'shop', name: 'web-5f6d', uid: 'other' }) }),
    claimed: false,
  },
  { name: 'a pod whose Deployment is another by now', web: buildAppDeployment({}, { uid: 'other' }), claimed: false },
])(
  '$name: claimed $claimed',
  async ({ pod = buildAppPod('a'), set = buildAppReplicaSet(1), web = buildAppDeployment(), claimed }) => {
    const read = buildWorkloadReader([
      [replicaSets, set],
      [deployments, web],
    ])
    const registration = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
    expect(await deployment.claim(pod, read)).toEqual(claimed ? registration : undefined)
  },
)

test('claims are followed only for pods that have some', () => {
  const kinds = (claim: string | undefined) =>
    deployment.follows(buildAppPod('a', claim === undefined ? {} : { claim })).map(({ resource }) => resource.plural)
  const always = ['pods', 'replicasets', 'deployments', 'poddisruptionbudgets']
  expect(kinds(undefined)).toEqual(always)
  expect(kinds('data')).toEqual([...always, 'persistentvolumeclaims'])
})
