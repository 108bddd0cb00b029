import { describe, expect, test } from 'vitest'
import { buildMailbox, renderWanted } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { guardedPartOf, peersOf, type GuardedPart } from './control-plane.ts'

interface Choices {
  readonly ready?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly isStatic?: boolean
  readonly isGoing?: boolean
}

const podOf = (name: string, { ready = true, labels = {}, isStatic = true, isGoing = false }: Choices = {}): Pod => ({
  metadata: storedMeta({
    namespace: 'kube-system',
    name,
    labels,
    annotations: isStatic ? { [annotations.mirrorPod]: 'hash' } : {},
    ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  }),
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

const since = '2026-01-01T00:00:00Z'
const boxOf = (node: string, { wanted = [], parked = [] }: { wanted?: string[]; parked?: string[] }): Lease => {
  const staticPods = { folder: '/m', parked, superseded: [], problems: [] }
  const report = { node, pod: { name: 'a', uid: 'u' }, bootID: 'b', staticPods }
  const box = stored<Lease>(buildMailbox('here', report))
  const text = renderWanted({ park: wanted.map((pod) => ({ pod, since })) })
  return {
    ...box,
    metadata: { ...box.metadata, annotations: { ...box.metadata.annotations, [annotations.agentWanted]: text } },
  }
}

describe('what is guarded', () => {
  test.each([
    { name: 'etcd by its label', pod: podOf('x', { labels: { component: 'etcd' } }), expected: 'component=etcd' },
    {
      name: 'the API server of OpenShift',
      pod: podOf('x', { labels: { app: 'openshift-kube-apiserver' } }),
      expected: 'app=openshift-kube-apiserver',
    },
    { name: 'an API server by its name', pod: podOf('kube-apiserver-one'), expected: undefined },
  ])('$name', ({ pod, expected }) => {
    expect(guardedPartOf(pod)?.labelSelector).toBe(expected)
    expect(guardedPartOf(pod)).toBeDefined()
  })

  test.each(['kube-scheduler-one', 'etcdish', 'my-kube-apiserver-one'])('not %s', (name) => {
    expect(guardedPartOf(podOf(name))).toBeUndefined()
  })

  test('not what only has a strange label', () => {
    expect(guardedPartOf(podOf('web', { labels: { component: 'constructor' } }))).toBeUndefined()
  })
})

const server: GuardedPart = { component: 'kube-apiserver', labelSelector: undefined }
const etcd: GuardedPart = { component: 'etcd', labelSelector: undefined }

describe('how many are left', () => {
  test.each([
    { name: 'the only API server', part: server, others: [], boxes: [], healthy: 0, needed: 1 },
    { name: 'one of two', part: server, others: [podOf('kube-apiserver-two')], boxes: [], healthy: 1, needed: 1 },
    {
      name: 'the other is not ready',
      part: server,
      others: [podOf('kube-apiserver-two', { ready: false })],
      boxes: [],
      healthy: 0,
      needed: 1,
    },
    {
      name: 'the other goes',
      part: server,
      others: [podOf('kube-apiserver-two', { isGoing: true })],
      boxes: [],
      healthy: 0,
      needed: 1,
    },
    {
      name: 'the other is about to be parked',
      part: server,
      others: [podOf('kube-apiserver-two')],
      boxes: [boxOf('two', { wanted: ['kube-system/kube-apiserver-two'] })],
      healthy: 0,
      needed: 1,
    },
    {
      name: 'a pod that only has the name does not count',
      part: server,
      others: [podOf('kube-apiserver-two', { isStatic: false })],
      boxes: [],
      healthy: 0,
      needed: 1,
    },
    { name: 'a single etcd', part: etcd, others: [], boxes: [], healthy: 0, needed: 1 },
    { name: 'one of two members', part: etcd, others: [podOf('etcd-two')], boxes: [], healthy: 1, needed: 2 },
    {
      name: 'one of three members',
      part: etcd,
      others: [podOf('etcd-two'), podOf('etcd-three')],
      boxes: [],
      healthy: 2,
      needed: 2,
    },
    {
      name: 'the second of three, the first is parked',
      part: etcd,
      others: [podOf('etcd-three')],
      boxes: [boxOf('two', { wanted: ['kube-system/etcd-two'], parked: ['kube-system/etcd-two'] })],
      healthy: 1,
      needed: 2,
    },
    {
      name: 'the second of five, the first is parked',
      part: etcd,
      others: [podOf('etcd-three'), podOf('etcd-four'), podOf('etcd-five')],
      boxes: [boxOf('two', { parked: ['kube-system/etcd-two'] })],
      healthy: 3,
      needed: 3,
    },
    {
      name: 'what another namespace parks is another etcd',
      part: etcd,
      others: [podOf('etcd-two'), podOf('etcd-three')],
      boxes: [boxOf('nine', { parked: ['other/etcd-nine'] })],
      healthy: 2,
      needed: 2,
    },
  ])('$name', ({ part, others, boxes, healthy, needed }) => {
    const pod = podOf(`${part.component}-one`)
    expect(peersOf(part, pod, [pod, ...others, podOf('web-one')], boxes)).toEqual({
      component: part.component,
      healthy,
      needed,
    })
  })
})
