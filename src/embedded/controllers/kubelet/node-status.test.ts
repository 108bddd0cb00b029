import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildNodeStatus, hasReported } from './node-status.ts'

test('a new node gets conditions, addresses and a capacity', () => {
  const status = buildNodeStatus({ metadata: storedMeta({ name: 'one' }) }, 'now', '172.16.0.1')
  expect(status).toMatchObject({
    capacity: { cpu: '32', memory: '256Gi', pods: '110' },
    allocatable: { cpu: '32' },
    addresses: [
      { type: 'InternalIP', address: '172.16.0.1' },
      { type: 'Hostname', address: 'one' },
    ],
  })
  expect(hasReported({ metadata: storedMeta(), status })).toBe(true)
})

test('what a node came with stays, and so do conditions of others and the times of what did not change', () => {
  const conditions = [
    { type: 'GpuHealthy', status: 'True' },
    { type: 'Ready', status: 'Unknown', lastTransitionTime: 'then' },
    { type: 'DiskPressure', status: 'False', lastTransitionTime: 'then' },
  ]
  const node = {
    metadata: storedMeta({ name: 'one' }),
    status: { capacity: { cpu: '2' }, allocatable: { cpu: '1' }, conditions },
  }
  expect(buildNodeStatus(node, 'now', '')).toMatchObject({
    capacity: { cpu: '2' },
    allocatable: { cpu: '1' },
    conditions: expect.arrayContaining([
      { type: 'GpuHealthy', status: 'True' },
      expect.objectContaining({ type: 'Ready', status: 'True', lastTransitionTime: 'now' }),
      expect.objectContaining({ type: 'DiskPressure', status: 'False', lastTransitionTime: 'then' }),
    ]),
  })
})

test('a node in trouble says so until it is over', () => {
  const metadata = storedMeta({ name: 'one', labels: { 'lifeboat.test/not-ready': 'true' } })
  const status = buildNodeStatus({ metadata }, 'now', '')
  expect(status).toMatchObject({
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }),
    ]),
  })
  expect(hasReported({ metadata, status })).toBe(true)
  expect(hasReported({ metadata: storedMeta({ name: 'one' }), status })).toBe(false)
})
