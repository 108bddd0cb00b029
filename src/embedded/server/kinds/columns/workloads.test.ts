import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { daemonSetColumns, deploymentColumns, jobColumns, replicaSetColumns, statefulSetColumns } from './workloads.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 5)
const metadata = storedMeta({ creationTimestamp: '2026-01-01T00:00:00Z' })
const row = (columns: readonly ColumnDefinition[], object: object) =>
  columns.map(({ cell }) => cell({ metadata, ...object }, nowMs))
const template = {
  spec: {
    containers: [
      { name: 'a', image: 'i:1' },
      { name: 'b', image: 'j:2' },
    ],
    nodeSelector: { disk: 'ssd' },
  },
}
const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template }
const details = ['a,b', 'i:1,j:2', 'app=web']

test('workloads count what their status says', () => {
  const status = { replicas: 4, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 }
  expect(row(deploymentColumns, { spec, status })).toEqual(['2/3', 1, 2, '5m', ...details])
  expect(row(replicaSetColumns, { spec, status })).toEqual([3, 4, 2, '5m', ...details])
  expect(row(statefulSetColumns, { spec, status })).toEqual(['2/3', '5m', 'a,b', 'i:1,j:2'])
  const daemons = {
    desiredNumberScheduled: 5,
    currentNumberScheduled: 4,
    numberReady: 3,
    updatedNumberScheduled: 2,
    numberAvailable: 1,
  }
  expect(row(daemonSetColumns, { spec, status: daemons })).toEqual([5, 4, 3, 2, 1, 'disk=ssd', '5m', ...details])
})

test.each([
  { name: 'runs', status: {}, expected: 'Running' },
  { name: 'is complete', status: { conditions: [{ type: 'Complete', status: 'True' }] }, expected: 'Complete' },
  { name: 'failed', status: { conditions: [{ type: 'Failed', status: 'True' }] }, expected: 'Failed' },
  { name: 'is suspended', status: { conditions: [{ type: 'Suspended', status: 'True' }] }, expected: 'Suspended' },
  { name: 'was suspended', status: { conditions: [{ type: 'Suspended', status: 'False' }] }, expected: 'Running' },
])('a job that $name', ({ status, expected }) => {
  expect(row(jobColumns, { status })[0]).toBe(expected)
})

test('a job counts what is done, and how long it took', () => {
  const startTime = '2026-01-01T00:01:00Z'
  expect(row(jobColumns, { spec: { completions: 4 }, status: { succeeded: 1, startTime } }).slice(1, 3)).toEqual([
    '1/4',
    '4m',
  ])
  const completionTime = '2026-01-01T00:01:30Z'
  expect(row(jobColumns, { spec: { parallelism: 3 }, status: { startTime, completionTime } }).slice(1, 3)).toEqual([
    '0/1 of 3',
    '30s',
  ])
  expect(row(jobColumns, { metadata: { deletionTimestamp: startTime } })[0]).toBe('Terminating')
})
