import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { podColumns } from './pods.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 5)
const row = (pod: object) => podColumns.map(({ cell }) => cell({ metadata: storedMeta(), ...pod }, nowMs))

test('a pod as kubectl shows it, with all that is wide', () => {
  const lastState = { terminated: { finishedAt: '2026-01-01T00:03:00Z' } }
  const status = {
    phase: 'Running',
    podIPs: [{ ip: '10.0.0.1' }],
    conditions: [{ type: 'gate', status: 'True' }],
    containerStatuses: [{ name: 'a', ready: true, restartCount: 2, state: { running: {} }, lastState }],
  }
  const spec = {
    nodeName: 'one',
    containers: [{ name: 'a' }],
    readinessGates: [{ conditionType: 'gate' }, { conditionType: 'other' }],
  }
  const metadata = { creationTimestamp: '2026-01-01T00:00:00Z' }
  expect(row({ metadata, spec, status })).toEqual([
    '1/1',
    'Running',
    '2 (2m ago)',
    '5m',
    '10.0.0.1',
    'one',
    '<none>',
    '1/2',
  ])
})

test('a pod that is nowhere yet', () => {
  const none = '<none>'
  expect(row({ spec: { containers: [{}] }, status: { phase: 'Pending' } })).toEqual([
    '0/1',
    'Pending',
    '0',
    '<unknown>',
    none,
    none,
    none,
    none,
  ])
})
