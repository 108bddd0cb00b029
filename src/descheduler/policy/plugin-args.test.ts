import { expect, test } from 'vitest'
import { isPluginName, pluginForms, pluginNames } from './plugin-args.ts'

test.each([
  {
    point: 'deschedule',
    expected: [
      'PodLifeTime',
      'RemoveFailedPods',
      'RemovePodsHavingTooManyRestarts',
      'RemovePodsViolatingNodeTaints',
      'RemovePodsViolatingNodeAffinity',
      'RemovePodsViolatingInterPodAntiAffinity',
    ],
  },
  {
    point: 'balance',
    expected: [
      'RemoveDuplicates',
      'LowNodeUtilization',
      'HighNodeUtilization',
      'RemovePodsViolatingTopologySpreadConstraint',
    ],
  },
])('plugins of $point', ({ point, expected }) => {
  expect(pluginNames.filter((name) => pluginForms[name].extensionPoint === point)).toEqual(expected)
})

test.each([
  { name: 'PodLifeTime', expected: true },
  { name: 'DefaultEvictor', expected: false },
  { name: 'podlifetime', expected: false },
  { name: 'toString', expected: false },
])('$name is a plugin that nominates pods: $expected', ({ name, expected }) => {
  expect(isPluginName(name)).toBe(expected)
})
