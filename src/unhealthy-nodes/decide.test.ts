import { expect, test } from 'vitest'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { stored } from '../../test/build/stored.ts'
import { decideNode, type NodeDecision, type NodeView } from './decide.ts'

const startMs = Date.UTC(2026, 0, 1)
const at = (second: number) => new Date(startMs + second * 1_000).toISOString()
const taint = (key: string, second: number) => ({
  key: `node.kubernetes.io/${key}`,
  effect: 'NoExecute',
  timeAdded: at(second),
})
const count = { taint: 'node.kubernetes.io/not-ready', since: at(0) } as const

function podOf(name: string, seconds: number): Pod {
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      resourceVersion: '1',
      annotations: {
        'kubernetes.io/evict-policy': 'ControllerTakeOver',
        'evacuation.coordination.k8s.io/added-toleration-seconds': '60',
      },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
    },
    spec: {
      containers: [],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: seconds + 60 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 999 },
      ],
    },
  }
}

const [soon, later] = [podOf('web-1', 10), podOf('web-2', 30)]
const ref = { namespace: 'shop', name: 'web-1', uid: 'web-1' }

interface Row {
  readonly name: string
  /** Null: it is gone. */
  readonly ready?: 'True' | 'False' | null
  readonly taints?: readonly ReturnType<typeof taint>[]
  readonly view?: Partial<NodeView>
  readonly afterSeconds?: number
  readonly expected: NodeDecision
}

test.each<Row>([
  { name: 'a node that is gone', ready: null, expected: { kind: 'forget' } },
  { name: 'a node that is well', ready: 'True', taints: [], expected: { kind: 'forget' } },
  { name: 'nobody has looked for its pods', expected: { kind: 'look' } },
  { name: 'no pod there has such a controller', view: { pods: [] }, expected: { kind: 'wait' } },
  { name: 'since when is noted first', view: { pods: [soon] }, expected: { kind: 'note', count } },
  {
    name: 'no pod is due',
    view: { pods: [soon, later], noted: count },
    afterSeconds: 9,
    expected: { kind: 'wait', untilMs: startMs + 10_000 },
  },
  {
    name: 'one is due',
    view: { pods: [soon, later], noted: count },
    afterSeconds: 10,
    expected: { kind: 'ask', pods: [soon], count },
  },
  {
    name: 'one was asked about',
    view: { pods: [soon, later], noted: count, asked: new Set(['shop/web-1-web-1']) },
    afterSeconds: 10,
    expected: { kind: 'wait', untilMs: startMs + 30_000 },
  },
  {
    name: 'all were asked about',
    view: { pods: [soon], noted: count, asked: new Set(['shop/web-1-web-1']) },
    afterSeconds: 10,
    expected: { kind: 'wait' },
  },
  {
    name: 'not-ready became unreachable: that is noted, and the first counts',
    taints: [taint('unreachable', 8)],
    view: { pods: [soon], noted: count },
    expected: {
      kind: 'note',
      count: { ...count, swapped: { taint: 'node.kubernetes.io/unreachable', since: at(8) } },
    },
  },
  {
    name: 'and the seconds of the first count, too',
    taints: [taint('unreachable', 8)],
    view: {
      pods: [soon],
      noted: { ...count, swapped: { taint: 'node.kubernetes.io/unreachable', since: at(8) } },
    },
    afterSeconds: 10,
    expected: {
      kind: 'ask',
      pods: [soon],
      count: { ...count, swapped: { taint: 'node.kubernetes.io/unreachable', since: at(8) } },
    },
  },
  {
    name: 'Kubernetes counts anew',
    taints: [taint('not-ready', 9)],
    view: { pods: [soon], noted: count },
    afterSeconds: 11,
    expected: { kind: 'note', count: { ...count, since: at(9) } },
  },
  {
    name: 'the taint is off, and the node does not report: that is no recovery',
    taints: [],
    view: { pods: [soon], noted: count, requested: [ref] },
    expected: { kind: 'note', count: undefined },
  },
  {
    name: 'and what was asked for stays',
    taints: [],
    view: { pods: [soon], requested: [ref] },
    expected: { kind: 'wait' },
  },
  { name: 'and with nothing asked for there is nothing to do', taints: [], expected: { kind: 'forget' } },
  {
    name: 'the node reports again: withdrawn before the taint goes',
    ready: 'True',
    view: { pods: [soon], noted: count, requested: [ref] },
    expected: { kind: 'withdraw', pods: [ref] },
  },
  {
    name: 'then nothing is noted any more',
    ready: 'True',
    view: { pods: [soon], noted: count },
    expected: { kind: 'note', count: undefined },
  },
  { name: 'then the taint has yet to go', ready: 'True', view: { pods: [soon] }, expected: { kind: 'wait' } },
])('$name', ({ ready = 'False', taints = [taint('not-ready', 0)], view, afterSeconds = 0, expected }) => {
  const node =
    ready === null
      ? undefined
      : stored<Node>({
          metadata: { name: 'node-1' },
          spec: { taints: [...taints] },
          status: { conditions: [{ type: 'Ready', status: ready }] },
        })
  const whole = { node, noted: undefined, pods: undefined, asked: new Set<string>(), requested: [], ...view }
  expect(decideNode(whole, startMs + afterSeconds * 1_000)).toEqual(expected)
})
