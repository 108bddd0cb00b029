import { expect, test } from 'vitest'
import { pods } from '../../api/kubernetes/resources.ts'
import { silentLog } from '../../runtime/log.ts'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { noKubeMetrics } from '../metrics.ts'
import { NodePods, unassigned } from './node-pods.ts'

function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const nodePods = new NodePods({ kube, clock, random, log: silentLog, metrics: noKubeMetrics })
  const told: string[] = []
  nodePods.subscribe(({ kind, object }, node) => told.push(`${kind} ${object.metadata.name} on ${node}`))
  const create = (name: string, nodeName?: string) => {
    const spec = { containers: [{ name: 'main', image: 'web:1' }], ...(nodeName === undefined ? {} : { nodeName }) }
    return kube.create(pods, { metadata: { name, namespace: 'shop' }, spec })
  }
  return { clock, kube, nodePods, told, create }
}

test('follows the pods of the nodes that were asked for, and of no other', async () => {
  const { clock, nodePods, told, create } = ground()
  await create('a', 'node-1')
  await create('b', 'node-2')
  const { synced } = nodePods.follow('node-1')
  await clock.advance(10)
  await synced
  expect(told).toEqual(['added a on node-1'])
  const { metadata } = await create('c', 'node-1')
  await clock.advance(10)
  expect(nodePods.list('node-1').map((pod) => pod.metadata.name)).toEqual(['a', 'c'])
  expect(nodePods.find({ namespace: 'shop', name: 'c', uid: metadata.uid })).toBe('node-1')
  expect(nodePods.find({ namespace: 'shop', name: 'c', uid: 'another' })).toBeUndefined()
  expect(nodePods.get('node-2', { namespace: 'shop', name: 'b' })).toBeUndefined()
  expect(nodePods.peek({ namespace: 'shop', name: 'c', uid: metadata.uid })?.metadata.uid).toBe(metadata.uid)
  expect(nodePods.peek({ namespace: 'shop', name: 'b', uid: 'u' })).toBeUndefined()
  nodePods[Symbol.dispose]()
})

test('stops when everybody who asked has let go, however often they say so', async () => {
  const { clock, nodePods } = ground()
  const one = nodePods.follow('node-1')
  const other = nodePods.follow('node-1')
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  expect(nodePods.size).toBe(1)
  other[Symbol.dispose]()
  expect(nodePods.size).toBe(0)
  await clock.advance(10)
})

test('a pod that gets a node leaves those without one', async () => {
  const { clock, kube, nodePods, told, create } = ground()
  nodePods.follow(unassigned)
  await create('a')
  await clock.advance(10)
  await kube.bind({ namespace: 'shop', name: 'a' }, 'node-1')
  await clock.advance(10)
  expect(told).toEqual(['added a on ', 'deleted a on '])
  nodePods[Symbol.dispose]()
})
