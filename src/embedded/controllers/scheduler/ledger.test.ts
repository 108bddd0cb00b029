import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import { Ledger } from './ledger.ts'

const pod = (nodeName: string | undefined, options: { cpu?: string; owner?: string; phase?: string } = {}) => ({
  metadata: storedMeta({
    namespace: 'default',
    ...(options.owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: options.owner, controller: true },
          ],
        }),
  }),
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    containers: [{ name: 'main', resources: { requests: { cpu: options.cpu ?? '1' } } }],
  },
  status: { phase: options.phase ?? 'Running' },
})

const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } })

test('sums follow the pods as they come, change and go', () => {
  const ledger = new Ledger()
  ledger.putNode(nodeNamed('one'))
  ledger.putPod('default/a', pod('one'))
  ledger.putPod('default/b', pod('one', { cpu: '500m' }))
  ledger.putPod('default/c', pod(undefined))
  const used = () => ledger.account('one')?.used.get('cpu')
  expect(used()).toBe(1_500)
  ledger.putPod('default/a', pod('one', { cpu: '2' }))
  expect(used()).toBe(2_500)
  ledger.putPod('default/a', pod('one', { phase: 'Succeeded' }))
  expect(used()).toBe(500)
  ledger.removePod('default/b')
  expect(used()).toBe(0)
  expect(ledger.account('one')?.pods.size).toBe(0)
})

test('pods that come before their node count when it is there, and again after it was away', () => {
  const ledger = new Ledger()
  ledger.putPod('default/a', pod('one'))
  ledger.putNode(nodeNamed('one'))
  expect(ledger.account('one')?.used.get('cpu')).toBe(1_000)
  ledger.removeNode('one')
  expect(ledger.accounts).toEqual([])
  ledger.putNode(nodeNamed('one'))
  expect(ledger.account('one')?.used.get('cpu')).toBe(1_000)
})

test('pods of one controller are counted by node and by zone', () => {
  const ledger = new Ledger()
  ledger.putNode(nodeNamed('one', zone('a')))
  ledger.putNode(nodeNamed('two', zone('a')))
  ledger.putPod('default/a', pod('one', { owner: 'u1' }))
  ledger.putPod('default/b', pod('two', { owner: 'u1' }))
  expect(ledger.groupInZone('u1', 'a')).toBe(2)
  ledger.putNode(nodeNamed('two', zone('b')))
  expect([ledger.groupInZone('u1', 'a'), ledger.groupInZone('u1', 'b')]).toEqual([1, 1])
  ledger.removePod('default/a')
  expect(ledger.groupInZone('u1', 'a')).toBe(0)
})

test('nodes are in the order of their names', () => {
  const ledger = new Ledger()
  for (const name of ['c', 'a', 'b']) ledger.putNode(nodeNamed(name))
  expect(ledger.accounts.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
})
