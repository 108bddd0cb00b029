import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { selectionWarning, selectionWarnings } from './selection-warnings.ts'

const label = { 'node-role.kubernetes.io/control-plane': '' }
const head = stored<Node>({ metadata: { name: 'head', labels: label } })
const deputy = stored<Node>({ metadata: { name: 'deputy', labels: label } })
const worker = stored<Node>({ metadata: { name: 'worker', labels: { pool: 'blue' } } })
const bare = stored<Node>({ metadata: { name: 'bare' } })
const { allNodes, allControlPlaneNodes, noNode, uncordons } = selectionWarning

test.each([
  { name: 'some workers', selected: [worker], all: [head, worker, bare], expected: [] },
  { name: 'some of the control plane', selected: [head, worker], all: [head, deputy, worker], expected: [] },
  {
    name: 'all of the control plane',
    selected: [head, deputy],
    all: [head, deputy, worker],
    expected: [allControlPlaneNodes],
  },
  {
    name: 'all of the control plane and more',
    selected: [head, deputy, worker],
    all: [head, deputy, worker, bare],
    expected: [allControlPlaneNodes],
  },
  { name: 'everything', selected: [head, worker], all: [head, worker], expected: [allNodes] },
  {
    name: 'everything where no control plane shows',
    selected: [worker, bare],
    all: [worker, bare],
    expected: [allNodes],
  },
  { name: 'the only node', selected: [bare], all: [bare], expected: [allNodes] },
  { name: 'no node', selected: [], all: [worker], expected: [noNode] },
  { name: 'no node, as there is none', selected: [], all: [], expected: [noNode] },
])('$name: $expected', ({ selected, all, expected }) => {
  for (const to of ['Idle', 'Cordon', 'Drain']) {
    expect(selectionWarnings(selected, all, { from: undefined, to })).toEqual(expected)
  }
})

test.each([
  { name: 'everything', selected: [worker, bare], all: [worker, bare], expected: [] },
  { name: 'all of the control plane', selected: [head], all: [head, bare], expected: [] },
  { name: 'no node', selected: [], all: [worker], expected: [noNode] },
])('to complete the maintenance of $name: $expected', ({ selected, all, expected }) => {
  for (const from of ['Cordon', 'Drain', 'Complete']) {
    expect(selectionWarnings(selected, all, { from, to: 'Complete' })).toEqual(expected)
  }
})

test.each([
  { name: 'some workers', selected: [worker], all: [head, worker], expected: [uncordons] },
  { name: 'everything', selected: [worker, bare], all: [worker, bare], expected: [uncordons] },
  { name: 'no node', selected: [], all: [worker], expected: [noNode] },
])('to complete what has not begun, of $name: $expected', ({ selected, all, expected }) => {
  for (const from of [undefined, 'Idle']) {
    expect(selectionWarnings(selected, all, { from, to: 'Complete' })).toEqual(expected)
  }
})
