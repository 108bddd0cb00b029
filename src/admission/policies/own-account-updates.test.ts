import { describe, expect, test } from 'vitest'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import { annotations } from '../../api/names.ts'
import { buildOwnAccountPolicy } from './own-account-policy.ts'
import { updateLimits } from './own-account-updates.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'

/** A server with the policy; the account that it limits is the one that sends, or another. */
function open(isOwn: boolean) {
  const { send, admin } = buildServer()
  const [policy, binding] = buildOwnAccountPolicy(isOwn ? admin.name : 'system:serviceaccount:lifeboat-system:lifeboat')
  const limit = async () => {
    await send('POST', `${registration}/validatingadmissionpolicies`, policy)
    await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  }
  return { send, limit }
}

test('limits changes of everything that is patched and not its own', () => {
  expect(updateLimits.map(({ resource }) => resource)).toEqual(['pods', 'nodes', 'horizontalpodautoscalers'])
})

describe('a change of an object that is not its own', () => {
  const owner = (controller: boolean) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web-1',
    uid: '7',
    controller,
    blockOwnerDeletion: controller,
  })
  const from = JSON.stringify({ hash: '5f6', replicaSet: 'web-1' })
  const hash = 'pod-template-hash'
  const releasedFrom = annotations.releasedFrom
  const web = {
    metadata: {
      name: 'web',
      labels: { app: 'web', [hash]: '5f6' },
      annotations: { team: 'a' },
      ownerReferences: [owner(true)],
    },
    spec: {
      containers: [{ name: 'main', image: 'web:1' }],
      schedulingGates: [{ name: 'nodemaintenance.k8s.io/maintenance' }, { name: 'other' }],
    },
  }
  const released = {
    ...web,
    metadata: {
      name: 'web',
      labels: { app: 'web', 'evacuation.coordination.k8s.io/released': 'true' },
      annotations: { [releasedFrom]: from },
      ownerReferences: [owner(false)],
    },
  }
  const release = {
    metadata: {
      labels: { [hash]: null, 'evacuation.coordination.k8s.io/released': 'true' },
      annotations: { [releasedFrom]: from },
      ownerReferences: [owner(false)],
    },
  }
  const six = {
    metadata: { name: 'six', labels: { zone: 'a' } },
    spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }], providerID: 'cloud://six' },
  }
  const autoscaler = {
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 9,
    },
  }
  const pods = '/api/v1/namespaces/shop/pods'
  const nodes = '/api/v1/nodes'
  const autoscalers = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers'
  const onPod = { path: pods, before: web }
  const onReleased = { path: pods, before: released }
  const onNode = { path: nodes, before: six }
  const onAutoscaler = { path: autoscalers, before: autoscaler }
  const done = /^200/
  const refused = /^403 Forbidden: .* may change only /

  test.each([
    { name: 'a release', ...onPod, change: release, expected: done },
    {
      name: 'an undo',
      ...onReleased,
      change: { metadata: { labels: { [hash]: '5f6' }, annotations: { [releasedFrom]: null } } },
      expected: done,
    },
    {
      name: 'an undo with another hash',
      ...onReleased,
      change: { metadata: { labels: { [hash]: '777' } } },
      expected: refused,
    },
    {
      name: 'a release that does not say where from',
      ...onPod,
      change: { metadata: { labels: { [hash]: null } } },
      expected: refused,
    },
    {
      name: 'the gate of a maintenance',
      ...onPod,
      change: { spec: { schedulingGates: [{ name: 'other' }] } },
      expected: done,
    },
    { name: 'the gate of another', ...onPod, change: { spec: { schedulingGates: [] } }, expected: refused },
    {
      name: 'a mark on a pod',
      ...onPod,
      change: { metadata: { annotations: { [annotations.podEvictWanted]: 'true' } } },
      expected: done,
    },
    {
      name: 'an image',
      ...onPod,
      change: { spec: { containers: [{ name: 'main', image: 'evil:1' }] } },
      expected: refused,
    },
    { name: 'a toleration', ...onPod, change: { spec: { tolerations: [{ operator: 'Exists' }] } }, expected: refused },
    { name: 'a deadline', ...onPod, change: { spec: { activeDeadlineSeconds: 1 } }, expected: refused },
    { name: 'a label of a pod', ...onPod, change: { metadata: { labels: { app: 'other' } } }, expected: refused },
    {
      name: 'a label of a pod taken off',
      ...onPod,
      change: { metadata: { labels: { app: null } } },
      expected: refused,
    },
    {
      name: 'an annotation of a pod',
      ...onPod,
      change: { metadata: { annotations: { team: 'b' } } },
      expected: refused,
    },
    { name: 'a finalizer of a pod', ...onPod, change: { metadata: { finalizers: ['a.b/c'] } }, expected: refused },
    {
      name: 'an owner without a release',
      ...onPod,
      change: { metadata: { ownerReferences: [owner(false)] } },
      expected: refused,
    },
    {
      name: 'another owner beside a release',
      ...onPod,
      change: {
        metadata: { ...release.metadata, ownerReferences: [owner(false), { ...owner(true), uid: '8', name: 'evil' }] },
      },
      expected: refused,
    },
    {
      name: 'no owner beside a release',
      ...onPod,
      change: { metadata: { ...release.metadata, ownerReferences: [] } },
      expected: refused,
    },
    {
      name: 'a controller of a released pod',
      ...onReleased,
      change: { metadata: { ownerReferences: [owner(true)] } },
      expected: refused,
    },
    {
      name: 'a cordon with our marks',
      ...onNode,
      change: {
        metadata: {
          labels: { 'nodemaintenance.k8s.io/under-maintenance': 'true' },
          annotations: { [annotations.cordoned]: 'true' },
        },
        spec: { unschedulable: true },
      },
      expected: done,
    },
    { name: 'a taint', ...onNode, change: { spec: { taints: [] } }, expected: refused },
    { name: 'a label of a node', ...onNode, change: { metadata: { labels: { zone: 'b' } } }, expected: refused },
    {
      name: 'an annotation of a node',
      ...onNode,
      change: { metadata: { annotations: { zone: 'b' } } },
      expected: refused,
    },
    {
      name: 'an owner of a node',
      ...onNode,
      change: { metadata: { ownerReferences: [owner(false)] } },
      expected: refused,
    },
    {
      name: 'minReplicas',
      ...onAutoscaler,
      change: { spec: { minReplicas: 3 }, metadata: { annotations: { [annotations.autoscalerSurge]: '{}' } } },
      expected: done,
    },
    { name: 'maxReplicas', ...onAutoscaler, change: { spec: { maxReplicas: 99 } }, expected: refused },
  ])('$name', async ({ path, before, change, expected }) => {
    const contentType = 'application/merge-patch+json'
    for (const isOwn of [true, false]) {
      const { send, limit } = open(isOwn)
      expect(said(await send('POST', path, before))).toMatch(/^201/)
      await limit()
      const answer = said(await send('PATCH', `${path}/${before.metadata.name}`, change, { contentType }))
      expect(answer).toMatch(isOwn ? expected : done)
    }
  })
})
