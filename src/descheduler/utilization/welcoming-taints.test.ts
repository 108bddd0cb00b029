import { expect, test } from 'vitest'
import { nodeView, podView } from '../../../test/build/descheduler-view.ts'
import { welcomedBy } from './welcoming-taints.ts'

const gpu = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
const spot = { key: 'spot', value: '', effect: 'PreferNoSchedule' }
const gpuToleration = { key: 'gpu', operator: 'Equal', value: 'yes' }
const everything = { operator: 'Exists' }

test.each([
  { name: 'without taints', nodes: [[]], tolerations: [], expected: true },
  { name: 'with a taint that the pod does not tolerate', nodes: [[gpu]], tolerations: [], expected: false },
  { name: 'with a taint that the pod tolerates', nodes: [[gpu]], tolerations: [gpuToleration], expected: true },
  { name: 'with a taint that is a mere preference', nodes: [[spot]], tolerations: [], expected: false },
  { name: 'among which one has no taint', nodes: [[gpu], [spot], []], tolerations: [], expected: true },
  {
    name: 'each with some taint too many',
    nodes: [[gpu, spot], [spot]],
    tolerations: [gpuToleration],
    expected: false,
  },
  { name: 'with two taints under one toleration', nodes: [[gpu, spot]], tolerations: [everything], expected: false },
  {
    name: 'with two taints under two tolerations, of which one covers both',
    nodes: [[gpu, spot]],
    tolerations: [everything, { key: 'other', operator: 'Exists' }],
    expected: true,
  },
  { name: 'of which there are none', nodes: [], tolerations: [everything], expected: false },
])('on nodes $name a pod is welcome: $expected', ({ nodes, tolerations, expected }) => {
  const views = nodes.map((taints, index) => nodeView({ name: `n${index}`, taints }))
  expect(welcomedBy(views)(podView({ name: 'p', tolerations }))).toBe(expected)
})
