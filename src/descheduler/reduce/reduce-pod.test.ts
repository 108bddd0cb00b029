import { expect, test } from 'vitest'
import type { SourcePod } from './objects.ts'
import { PodReducer } from './reduce-pod.ts'

const pod = (name: string, spec: SourcePod['spec'] = {}, more: Partial<SourcePod> = {}): SourcePod => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `${name}-uid`,
    resourceVersion: '1',
    creationTimestamp: '2026-06-01T12:00:00Z',
    labels: { app: 'web' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web-uid', controller: true }],
  },
  spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'web:1' }], ...spec },
  ...more,
})

test('keeps what plugins read', () => {
  const status = {
    phase: 'Running',
    startTime: '2026-06-01T12:00:05Z',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-06-01T12:00:09Z' }],
    containerStatuses: [
      { name: 'main', restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      { name: 'done', state: { terminated: { reason: 'Completed' } } },
      { name: 'well' },
    ],
  }
  const { template, ...rest } = new PodReducer({ conditions: true }).reduce(pod('web-1', { priority: 7 }, { status }))
  expect(rest).toMatchObject({
    namespace: 'shop',
    name: 'web-1',
    uid: 'web-1-uid',
    nodeName: 'n1',
    createdMs: Date.parse('2026-06-01T12:00:00Z'),
    startedMs: Date.parse('2026-06-01T12:00:05Z'),
    isTerminating: false,
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionMs: Date.parse('2026-06-01T12:00:09Z') }],
    containers: [
      { restartCount: 3, waitingReason: 'CrashLoopBackOff', exitCode: undefined },
      { restartCount: 0, terminatedReason: 'Completed', exitCode: 0 },
      { restartCount: 0, exitCode: undefined },
    ],
  })
  expect(template).toMatchObject({
    labels: { app: 'web' },
    owners: [{ kind: 'ReplicaSet', name: 'web', uid: 'web-uid' }],
    priority: 7,
    images: ['web:1'],
    qosClass: 'BestEffort',
  })
})

test('pods of one template share it, on whichever node', () => {
  const reducer = new PodReducer({ conditions: true })
  const one = reducer.reduce(pod('web-1'))
  expect(reducer.reduce(pod('web-2', { nodeName: 'n2' })).template).toBe(one.template)
  expect(reducer.reduce(pod('web-3', { priority: 1 })).template).not.toBe(one.template)
  const { metadata, ...other } = pod('web-0')
  const labels = { app: 'web', 'apps.kubernetes.io/pod-index': '0' }
  const labelled = reducer.reduce({ ...other, metadata: { ...metadata, labels } })
  expect(labelled.template).not.toBe(one.template)
  expect(labelled.template.images).toBe(one.template.images)
})

test.each([
  { volumes: [{ name: 'a', emptyDir: {} }], local: true, claims: [] },
  { volumes: [{ name: 'a', hostPath: { path: '/x' } }], local: true, claims: [] },
  { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'data' } }], local: false, claims: ['data'] },
  { volumes: [{ name: 'a', ephemeral: {} }], local: false, claims: [] },
  { volumes: [{ name: 'a' }], local: false, claims: [] },
])('volumes $volumes: local storage $local, claims $claims', ({ volumes, local, claims }) => {
  const { template, claims: found } = new PodReducer({ conditions: true }).reduce(pod('web-1', { volumes }))
  expect(template.hasLocalStorage).toBe(local)
  expect(found).toEqual(claims)
})

test.each([
  { name: 'no ports', spec: {}, expected: [] },
  {
    name: 'a port that is not one of the node',
    spec: { containers: [{ name: 'main', ports: [{ protocol: 'TCP' }] }] },
    expected: [],
  },
  {
    name: 'a port on every address',
    spec: { containers: [{ name: 'main', ports: [{ hostPort: 80 }] }] },
    expected: [{ protocol: 'TCP', port: 80, ip: '0.0.0.0' }],
  },
  {
    name: 'a port on one address, by another protocol',
    spec: { containers: [{ name: 'main', ports: [{ hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' }] }] },
    expected: [{ protocol: 'UDP', port: 53, ip: '10.0.0.1' }],
  },
  {
    name: 'a port of a sidecar, and none of another init container',
    spec: {
      containers: [],
      initContainers: [
        { name: 'proxy', restartPolicy: 'Always', ports: [{ hostPort: 90 }] },
        { name: 'setup', ports: [{ hostPort: 91 }] },
      ],
    },
    expected: [{ protocol: 'TCP', port: 90, ip: '0.0.0.0' }],
  },
])('$name: $expected', ({ spec, expected }) => {
  expect(new PodReducer({ conditions: true }).reduce(pod('web-1', spec)).template.hostPorts).toEqual(expected)
})

test('pods that differ in a port of the node alone do not share a template', () => {
  const reducer = new PodReducer({ conditions: true })
  const onPort = (hostPort: number) => ({ containers: [{ name: 'main', ports: [{ hostPort }] }] })
  const { template } = reducer.reduce(pod('web-1', onPort(80)))
  expect(reducer.reduce(pod('web-2', onPort(80))).template).toBe(template)
  expect(reducer.reduce(pod('web-3', onPort(81))).template).not.toBe(template)
})

test('keeps the required affinity to pods', () => {
  const term = { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['version'] }
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
  expect(new PodReducer({ conditions: true }).reduce(pod('web-1', { affinity })).template.podAffinity).toEqual([term])
})

test.each([
  { affinity: {}, has: false },
  { affinity: { podAntiAffinity: {} }, has: false },
  { affinity: { nodeAffinity: {} }, has: true },
])('affinity $affinity: node affinity $has', ({ affinity, has }) => {
  expect(new PodReducer({ conditions: true }).reduce(pod('web-1', { affinity })).template.hasNodeAffinity).toBe(has)
})

test.each([
  { annotation: 'descheduler.alpha.kubernetes.io/evict', value: '', marks: { evict: true } },
  { annotation: 'descheduler.alpha.kubernetes.io/prefer-no-eviction', value: 'x', marks: { preferNoEviction: true } },
  { annotation: 'descheduler.alpha.kubernetes.io/request-evict-only', value: '', marks: { requestEvictOnly: true } },
  { annotation: 'kubernetes.io/config.mirror', value: 'x', marks: { mirror: true } },
  { annotation: 'kubernetes.io/config.source', value: 'api', marks: { foreignSource: false } },
  { annotation: 'kubernetes.io/config.source', value: 'file', marks: { foreignSource: true } },
])('the annotation $annotation: "$value" is the mark $marks', ({ annotation, value, marks }) => {
  const { metadata, ...rest } = pod('web-1')
  const annotated = { ...rest, metadata: { ...metadata, annotations: { [annotation]: value } } }
  expect(new PodReducer({ conditions: true }).reduce(annotated).marks).toMatchObject(marks)
})

test.each([
  { conditions: true, expected: ['Ready'] },
  { conditions: false, expected: [] },
])('conditions are kept where they are asked for: $conditions', ({ conditions, expected }) => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  const reduced = new PodReducer({ conditions }).reduce(pod('web-1', {}, { status }))
  expect(reduced.conditions.map(({ type }) => type)).toEqual(expected)
})

test('pods share the lists that most of them have', () => {
  const reducer = new PodReducer({ conditions: true })
  const status = { containerStatuses: [{ name: 'main', restartCount: 0, state: {} }] }
  const [one, other] = ['web-1', 'web-2'].map((name) => reducer.reduce(pod(name, {}, { status })))
  expect(one?.containers).toHaveLength(1)
  expect(one?.containers).toBe(other?.containers)
  expect(one?.claims).toBe(other?.initContainers)
})
