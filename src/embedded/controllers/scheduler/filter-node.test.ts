import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed, type NodeOptions } from '../../../../test/build/controller-ground.ts'
import { filterNode, viewPod } from './filter-node.ts'
import { Ledger } from './ledger.ts'

function refusalOf(spec: object, options: { node?: NodeOptions; there?: readonly object[] } = {}) {
  const ledger = new Ledger()
  ledger.putNode(nodeNamed('one', options.node))
  for (const [index, other] of (options.there ?? []).entries()) {
    ledger.putPod(`pod-${index}`, { metadata: storedMeta(), spec: { nodeName: 'one', ...other } })
  }
  const account = ledger.account('one')
  if (account === undefined) throw new Error('the node is there')
  return filterNode(
    viewPod({ metadata: storedMeta(), spec }, ledger, () => ({})),
    account,
  )
}

const asking = (requests: Record<string, string>) => ({ containers: [{ name: 'main', resources: { requests } }] })
const port = { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] }
const taints = [{ key: 'dedicated', effect: 'NoSchedule' }]

describe('a node', () => {
  test.each([
    { name: 'takes what fits', spec: asking({ cpu: '4' }), reasons: undefined },
    {
      name: 'has no room for more',
      spec: asking({ cpu: '2' }),
      there: [asking({ cpu: '3' })],
      reasons: ['Insufficient cpu'],
      helps: true,
    },
    {
      name: 'is too small',
      spec: asking({ cpu: '5', memory: '64Gi' }),
      reasons: ['Insufficient cpu', 'Insufficient memory'],
      helps: false,
    },
    {
      name: 'lacks a device',
      spec: asking({ 'example.com/gpu': '1' }),
      reasons: ['Insufficient example.com/gpu'],
      helps: false,
    },
    {
      name: 'is cordoned',
      spec: {},
      node: { spec: { unschedulable: true } },
      reasons: ['node(s) were unschedulable'],
      helps: false,
    },
    {
      name: 'is cordoned for those who do not tolerate it',
      spec: { tolerations: [{ operator: 'Exists' }] },
      node: { spec: { unschedulable: true } },
      reasons: undefined,
    },
    {
      name: 'is tainted',
      spec: {},
      node: { spec: { taints } },
      reasons: ['node(s) had untolerated taint(s)'],
      helps: false,
    },
    {
      name: 'only prefers others',
      spec: {},
      node: { spec: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] } },
      reasons: undefined,
    },
    {
      name: 'is not the selected one',
      spec: { nodeSelector: { disk: 'ssd' } },
      reasons: ["node(s) didn't match Pod's node affinity/selector"],
      helps: false,
    },
    {
      name: 'has its port taken',
      spec: port,
      there: [port],
      reasons: ["node(s) didn't have free ports for the requested pod ports"],
      helps: true,
    },
    {
      name: 'names the first trouble only',
      spec: asking({ cpu: '5' }),
      node: { spec: { unschedulable: true } },
      reasons: ['node(s) were unschedulable'],
      helps: false,
    },
  ])('$name', ({ spec, node, there, reasons, helps }) => {
    const options = { ...(node === undefined ? {} : { node }), ...(there === undefined ? {} : { there }) }
    const expected = reasons === undefined ? undefined : { reasons, helpedByPreemption: helps }
    expect(refusalOf(spec, options)).toEqual(expected)
  })

  test('is full when it has as many pods as it may', () => {
    const there = Array.from({ length: 110 }, () => ({}))
    expect(refusalOf({}, { there })?.reasons).toEqual(['Too many pods'])
    expect(refusalOf({}, { there: there.slice(1) })).toBeUndefined()
  })
})
