import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { nodeColumns } from './nodes.ts'

const row = (node: object) => nodeColumns.map(({ cell }) => cell({ metadata: storedMeta(), ...node }, 0))
const condition = (status: string) => ({ conditions: [{ type: 'Ready', status }] })

test.each([
  { spec: {}, status: {}, expected: 'Unknown' },
  { spec: {}, status: condition('True'), expected: 'Ready' },
  { spec: {}, status: condition('False'), expected: 'NotReady' },
  { spec: {}, status: condition('Unknown'), expected: 'NotReady' },
  { spec: { unschedulable: true }, status: condition('True'), expected: 'Ready,SchedulingDisabled' },
])('$expected', ({ spec, status, expected }) => {
  expect(row({ spec, status })[0]).toBe(expected)
})

test('roles come from labels, each once and in order', () => {
  const labels = {
    'node-role.kubernetes.io/worker': '',
    'node-role.kubernetes.io/control-plane': '',
    'kubernetes.io/role': 'worker',
  }
  expect(row({ metadata: { labels } })[1]).toBe('control-plane,worker')
  expect(row({})[1]).toBe('<none>')
})

test('what is wide comes from the addresses and the info', () => {
  const nodeInfo = {
    kubeletVersion: 'v1',
    osImage: 'linux',
    kernelVersion: '6',
    architecture: 'amd64',
    containerRuntimeVersion: '',
  }
  const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], nodeInfo }
  expect(row({ status }).slice(3)).toEqual(['v1', '10.0.0.1', '<none>', 'linux', '6 (amd64)', '<unknown>'])
})
