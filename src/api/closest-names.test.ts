import { expect, test } from 'vitest'
import { closestNames } from './closest-names.ts'

const names = ['node-1', 'node-2', 'node-12', 'worker-a', 'ip-10-0-0-1.ec2.internal']

test.each([
  ['nod-1', ['node-1', 'node-12', 'node-2']],
  ['node1', ['node-1', 'node-12']],
  ['workr-a', ['worker-a']],
  ['ip-10-0-0-1', ['ip-10-0-0-1.ec2.internal']],
  ['something-else', []],
])('close to %s', (wanted, expected) =>
  expect(closestNames(wanted, names).slice(0, expected.length || 3)).toEqual(expected),
)

test('three are enough', () => {
  expect(closestNames('node', ['node-1', 'node-2', 'node-3', 'node-4'])).toEqual(['node-1', 'node-2', 'node-3'])
})
