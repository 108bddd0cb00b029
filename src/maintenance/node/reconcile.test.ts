import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import {
  eventsOf,
  maintain,
  nodeState,
  noting,
  patchNode,
  selectNodes,
  setStage,
} from '../../../test/build/maintenance.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import type { TransportRequest } from '../../kube/client/transport.ts'
import { sleep } from '../../runtime/clock.ts'

test('who keeps making a node schedulable is answered more and more slowly, and told once', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const requests: TransportRequest[] = []
  const { manager } = await ground.open({ wrap: noting(requests) })
  await ground.until(manager.ready())
  await maintain(ground, 'upgrade', selectNodes('node-1'), { stage: 'Cordon' })
  await ground.pass(2_000)
  requests.length = 0
  for (let uncordons = 0; uncordons < 100; uncordons++) {
    await patchNode(ground, 'node-1', { spec: { unschedulable: false } })
    await ground.pass(300)
  }
  const patches = requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/nodes/node-1'))
  expect(patches.length).toBeGreaterThan(5)
  expect(patches.length).toBeLessThan(15)
  await ground.pass(6_000)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned cordoned maintenance-status')
  const told = eventsOf(ground).filter(({ reason }) => reason === 'CordonReverted')
  expect(told.map(({ about, count }) => [about, count])).toEqual([
    ['Node node-1', 1],
    ['NodeMaintenance upgrade', 1],
  ])
})

test('numbers of a node are written every few seconds at most, targets at once', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const requests: TransportRequest[] = []
  const { manager } = await ground.open({ wrap: noting(requests) })
  await ground.until(manager.ready())
  for (let count = 0; count < 20; count++) await ground.createPod(`pod-${count}`)
  requests.length = 0
  await maintain(ground, 'upgrade', selectNodes('node-1'))
  await ground.pass(40_000)
  expect(ground.podNames()).toEqual([])
  const patches = requests.filter(({ method, path }) => method === 'PATCH' && path.endsWith('/nodes/node-1'))
  // Cordoned, targets, then what remains to be told; not one for each of twenty pods.
  expect(patches.length).toBeGreaterThan(2)
  expect(patches.length).toBeLessThan(12)
})

test('a node that an admin cordons at the very moment is not taken for cordoned by us', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const state = { meddled: false }
  const { manager } = await ground.open({
    wrap: (transport) => ({
      ...transport,
      request: async (request) => {
        if (request.method === 'PATCH' && request.path.endsWith('/nodes/node-1') && !state.meddled) {
          state.meddled = true
          const body = { spec: { unschedulable: true } }
          const headers = { 'content-type': 'application/merge-patch+json' }
          await ground.adminTransport.request({ method: 'PATCH', path: '/api/v1/nodes/node-1', body, headers })
        }
        return transport.request(request)
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }),
  })
  await ground.until(manager.ready())
  await maintain(ground, 'upgrade', selectNodes('node-1'), { stage: 'Cordon' })
  await ground.pass(5_000)
  expect(state.meddled).toBe(true)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned maintenance-status')
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned')
})

test('a node is not given back for which another maintenance came while its Evacuations were withdrawn', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const given: unknown[] = []
  let isNext = false
  const { manager } = await ground.open({
    wrap: (transport) => ({
      ...transport,
      request: async (request) => {
        const isWithdrawal = request.method === 'PATCH' && request.path.includes('/evacuations/')
        if (isNext && isWithdrawal) {
          isNext = false
          await ground.admin.create(nodeMaintenances, {
            metadata: { name: 'next' },
            spec: { nodeSelector: selectNodes('node-1'), stage: 'Cordon' },
          })
          // Long enough for the watch to show it, and for it to get its finalizer.
          await sleep(ground.clock, 2_000)
        }
        const isNode = request.method === 'PATCH' && request.path.endsWith('/nodes/node-1')
        if (isNode && JSON.stringify(request.body).includes('"unschedulable":null')) given.push(request.body)
        return transport.request(request)
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }),
  })
  await ground.until(manager.ready())
  await ground.createPod('a', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
  await maintain(ground, 'upgrade', selectNodes('node-1'))
  await ground.pass(5_000)
  isNext = true
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(10_000)
  expect(isNext).toBe(false)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned cordoned maintenance-status')
  expect(given).toEqual([])
})
