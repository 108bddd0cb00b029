import type { CasePod, CasePolicy, KnownCase } from '../case.ts'
import { avoids, hostname, inZone, podsOf, twoNodes, zone } from './parts.ts'

const policy = (args: object = {}): CasePolicy => ({ plugin: 'RemovePodsViolatingInterPodAntiAffinity', args })

const pod = (name: string, app: string, parts: Partial<CasePod> = {}): CasePod => ({
  name,
  node: 'n1',
  labels: { app },
  ...parts,
})

export const antiAffinityCases: readonly KnownCase[] = [
  {
    name: 'the pods that carry the rule go',
    nodes: twoNodes,
    pods: [pod('foo', 'foo'), ...podsOf(3, pod('carrier', 'other', { spec: avoids('foo') }))],
    policy: policy(),
    expected: ['carrier-1', 'carrier-2', 'carrier-3'],
  },
  {
    name: 'the lowest priority goes, and then the others may stay',
    nodes: twoNodes,
    pods: [
      pod('foo-100', 'foo', { priority: 100, spec: avoids('bar') }),
      pod('foo-50', 'foo', { priority: 50, spec: avoids('bar') }),
      pod('bar-0', 'bar', { priority: 0, spec: avoids('foo') }),
    ],
    policy: policy(),
    expected: ['bar-0'],
  },
  {
    name: 'of equals, all but one',
    nodes: twoNodes,
    pods: podsOf(4, pod('web', 'web', { spec: avoids('web') })),
    policy: policy(),
    compare: 'count',
    expected: 3,
  },
  {
    name: 'no priority comes before priority 0',
    nodes: twoNodes,
    pods: [pod('zero', 'web', { priority: 0, spec: avoids('web') }), pod('none', 'web', { spec: avoids('web') })],
    policy: policy(),
    expected: ['none'],
  },
  {
    name: 'by quality of service among equals, which only the status says',
    nodes: twoNodes,
    pods: (['BestEffort', 'Burstable', 'Guaranteed'] as const).map((qosClass) =>
      pod(qosClass.toLowerCase(), 'web', { status: { qosClass }, spec: avoids('web') }),
    ),
    policy: policy(),
    expected: ['besteffort', 'burstable'],
  },
  {
    name: 'by quality of service that is computed',
    nodes: twoNodes,
    pods: [
      pod('besteffort', 'web', { spec: avoids('web') }),
      pod('burstable', 'web', { cpu: '100m', spec: avoids('web') }),
      pod('guaranteed', 'web', { limits: { cpu: '100m', memory: '1Gi' }, spec: avoids('web') }),
    ],
    policy: policy(),
    expected: ['besteffort', 'burstable'],
  },
  {
    name: 'pods that prefer no eviction last',
    nodes: twoNodes,
    pods: [
      pod('plain', 'web', { spec: avoids('web') }),
      pod('prefers', 'web', {
        spec: avoids('web'),
        annotations: { 'descheduler.alpha.kubernetes.io/prefer-no-eviction': '' },
      }),
    ],
    policy: policy(),
    expected: ['plain'],
  },
  {
    name: 'on another node of the zone',
    nodes: [inZone('n1', 'a'), inZone('n2', 'a'), inZone('n3', 'b')],
    pods: [
      pod('web', 'web'),
      pod('same-zone', 'x', { node: 'n2', spec: avoids('web', zone) }),
      pod('other-zone', 'x', { node: 'n3', spec: avoids('web', zone) }),
      pod('other-host', 'x', { node: 'n2', spec: avoids('web') }),
    ],
    policy: policy(),
    expected: ['same-zone'],
  },
  {
    name: 'on the same node without a look at the topology key',
    nodes: twoNodes,
    pods: [pod('web', 'web'), pod('carrier', 'x', { spec: avoids('web', 'no-such-key') })],
    policy: policy(),
    expected: ['carrier'],
  },
  {
    name: 'in the namespaces of the term',
    nodes: twoNodes,
    pods: [
      pod('web', 'web'),
      pod('same-name', 'x', { other: true, spec: avoids('web', hostname, { namespaces: ['NS'] }) }),
      pod('own', 'x', { other: true, spec: avoids('web') }),
    ],
    policy: policy(),
    expected: ['same-name'],
  },
  {
    name: 'a pod of the same name elsewhere is not looked at',
    nodes: twoNodes,
    pods: [pod('web', 'web'), pod('web', 'x', { other: true, spec: avoids('web', hostname, { namespaces: ['NS'] }) })],
    policy: policy(),
    expected: [],
  },
  {
    name: 'protected pods stay and count',
    nodes: twoNodes,
    pods: [
      pod('bare', 'web', { owners: [], spec: avoids('web') }),
      pod('owned', 'web', { spec: avoids('web') }),
      pod('terminating', 'db', { terminating: true }),
      pod('beside', 'x', { spec: avoids('db') }),
    ],
    policy: policy(),
    expected: ['beside', 'owned'],
  },
  {
    name: 'pods that are over do not count',
    nodes: twoNodes,
    pods: [pod('over', 'web', { phase: 'Succeeded' }), pod('carrier', 'x', { spec: avoids('web') })],
    policy: policy(),
    expected: [],
  },
  {
    name: 'only listed pods are compared with',
    nodes: twoNodes,
    pods: [pod('web', 'web'), pod('carrier', 'x', { spec: avoids('web') }), pod('pair', 'x', { spec: avoids('x') })],
    policy: policy({ labelSelector: { matchLabels: { app: 'x' } } }),
    expected: ['pair'],
  },
]
