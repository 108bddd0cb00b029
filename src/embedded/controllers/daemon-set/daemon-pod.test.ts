import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed, templateOf, type NodeOptions } from '../../../../test/build/controller-ground.ts'
import { buildDaemonPod, placementOn, targetNode } from './daemon-pod.ts'

const daemonSet = (spec: object = {}) => ({
  metadata: storedMeta({ name: 'logs', namespace: 'default', uid: 'u1', generation: 2 }),
  spec: { template: templateOf({ app: 'logs' }, { spec }) },
})
const taint = (effect: string) => ({ spec: { taints: [{ key: 'dedicated', effect }] } })
const required = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const ssd = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }

test('a pod is bound to its node by affinity, and tolerates the troubles of nodes', () => {
  const pod = buildDaemonPod(daemonSet(required(ssd)), 'one', 'hash')
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['one'] }]
  expect(pod).toMatchObject({
    metadata: {
      generateName: 'logs-',
      labels: { app: 'logs', 'controller-revision-hash': 'hash', 'pod-template-generation': '2' },
      ownerReferences: [{ kind: 'DaemonSet', uid: 'u1', controller: true }],
    },
    spec: required({ ...ssd, matchFields }),
  })
  expect(targetNode(pod as never)).toBe('one')
  const { tolerations } = pod['spec'] as { tolerations: { key: string }[] }
  expect(tolerations.map(({ key }) => key)).toEqual([
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
    'node.kubernetes.io/disk-pressure',
    'node.kubernetes.io/memory-pressure',
    'node.kubernetes.io/pid-pressure',
    'node.kubernetes.io/unschedulable',
  ])
})

test('a pod that is on a node is meant for that one', () => {
  expect(targetNode({ metadata: storedMeta(), spec: { nodeName: 'two' } })).toBe('two')
  expect(targetNode({ metadata: storedMeta() })).toBe('')
})

describe('a daemon', () => {
  const rows: readonly { name: string; spec?: object; node?: NodeOptions; expected: string }[] = [
    { name: 'runs on any node', expected: 'run' },
    { name: 'runs on a cordoned node', node: { spec: { unschedulable: true } }, expected: 'run' },
    { name: 'stays under NoSchedule', node: taint('NoSchedule'), expected: 'stay' },
    { name: 'leaves under NoExecute', node: taint('NoExecute'), expected: 'leave' },
    {
      name: 'runs where it tolerates the taint',
      spec: { tolerations: [{ operator: 'Exists' }] },
      node: taint('NoExecute'),
      expected: 'run',
    },
    { name: 'is not for nodes without its label', spec: { nodeSelector: { disk: 'ssd' } }, expected: 'leave' },
    { name: 'is for those of its affinity', spec: required(ssd), node: { labels: { disk: 'ssd' } }, expected: 'run' },
  ]
  test.each(rows)('$name', ({ spec = {}, node, expected }) => {
    expect(placementOn(daemonSet(spec), nodeNamed('one', node))).toBe(expected)
  })
})
