import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { endpointsColumns, endpointSliceColumns, serviceColumns } from './network.ts'

const row = (columns: readonly ColumnDefinition[], object: object) =>
  columns.map(({ cell }) => cell({ metadata: storedMeta(), ...object }, 0)).filter((cell) => cell !== '<unknown>')
const ports = [{ port: 80 }, { port: 443, nodePort: 30_443, protocol: 'TCP' }]

test.each([
  { spec: { type: 'ClusterIP', clusterIPs: ['10.0.0.1'] }, expected: ['ClusterIP', '10.0.0.1', '<none>'] },
  { spec: { type: 'LoadBalancer' }, expected: ['LoadBalancer', '<none>', '<pending>'] },
  {
    spec: { type: 'NodePort', externalIPs: ['1.1.1.1', '2.2.2.2'] },
    expected: ['NodePort', '<none>', '1.1.1.1,2.2.2.2'],
  },
  { spec: { type: 'ExternalName', externalName: 'x.example' }, expected: ['ExternalName', '<none>', 'x.example'] },
])('a service of type $spec.type', ({ spec, expected }) => {
  expect(row(serviceColumns, { spec: { ...spec, ports, selector: { app: 'web' } } })).toEqual([
    ...expected,
    '80/TCP,443:30443/TCP',
    'app=web',
  ])
})

test('endpoints, with and without ports, and no more than three', () => {
  const addresses = ['1', '2', '3', '4'].map((ip) => ({ ip }))
  expect(row(endpointsColumns, { subsets: [{ addresses, ports: [{ port: 80 }] }] })).toEqual([
    '1:80,2:80,3:80 + 1 more...',
  ])
  expect(row(endpointsColumns, { subsets: [{ addresses: [{ ip: '1' }] }] })).toEqual(['1'])
  expect(row(endpointsColumns, {})).toEqual(['<none>'])
})

test('endpoint slices', () => {
  const slice = {
    addressType: 'IPv4',
    ports: [{ port: 80 }, {}],
    endpoints: [{ addresses: ['1'] }, { addresses: ['2'] }],
  }
  expect(row(endpointSliceColumns, slice)).toEqual(['IPv4', '80,*', '1,2'])
  expect(row(endpointSliceColumns, { addressType: 'IPv4' })).toEqual(['IPv4', '<unset>', '<unset>'])
})
