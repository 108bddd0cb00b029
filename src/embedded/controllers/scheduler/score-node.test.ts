import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import type { Node } from '../objects.ts'
import { viewPod } from './filter-node.ts'
import { Ledger } from './ledger.ts'
import { bestNode } from './score-node.ts'

const owned = storedMeta({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1', controller: true }],
})
const zone = (name: string) => ({ 'topology.kubernetes.io/zone': name })

function best(nodes: readonly Node[], there: readonly (readonly [string, object])[], spec: object = {}) {
  const ledger = new Ledger()
  for (const node of nodes) ledger.putNode(node)
  for (const [index, [nodeName, other]] of there.entries()) {
    ledger.putPod(`pod-${index}`, {
      metadata: owned,
      ...other,
      spec: { nodeName, ...(other as { spec?: object }).spec },
    })
  }
  return bestNode(
    viewPod({ metadata: owned, spec }, ledger, () => ({})),
    ledger.accounts,
    ledger,
  )?.name
}

describe('the best node', () => {
  test('is the first of equals', () => {
    expect(best([nodeNamed('a'), nodeNamed('b')], [])).toBe('a')
  })

  test('has more room', () => {
    expect(best([nodeNamed('a', { cpu: '2' }), nodeNamed('b', { cpu: '16' })], [])).toBe('b')
  })

  test('has fewer pods of the same controller', () => {
    expect(best([nodeNamed('a', { cpu: '64' }), nodeNamed('b')], [['a', {}]])).toBe('b')
  })

  test('is in a zone with fewer of them', () => {
    const nodes = [
      nodeNamed('a', { labels: zone('1') }),
      nodeNamed('b', { labels: zone('1') }),
      nodeNamed('c', { labels: zone('2') }),
    ]
    expect(best(nodes, [['a', {}]])).toBe('c')
  })

  test('is one that the pod prefers', () => {
    const preferred = [{ weight: 10, preference: { matchExpressions: [{ key: 'disk', operator: 'Exists' }] } }]
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } }
    expect(best([nodeNamed('a'), nodeNamed('b', { labels: { disk: 'ssd' } })], [], { affinity })).toBe('b')
  })

  test('does not prefer others', () => {
    const taints = [{ key: 'spot', effect: 'PreferNoSchedule' }]
    expect(best([nodeNamed('a', { spec: { taints } }), nodeNamed('b')], [])).toBe('b')
  })
})
