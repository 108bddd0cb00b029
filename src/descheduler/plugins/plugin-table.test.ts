import { expect, test } from 'vitest'
import { pluginTable } from './plugin-table.ts'

test('each plugin is found by its own name', () => {
  for (const [name, plugin] of Object.entries(pluginTable)) expect(plugin.name).toBe(name)
})

test('which of them only send pods away, and which even out', () => {
  const names = (point: string) =>
    Object.values(pluginTable)
      .filter(({ extensionPoint }) => extensionPoint === point)
      .map(({ name }) => name)
  expect(names('balance')).toEqual([
    'RemoveDuplicates',
    'LowNodeUtilization',
    'HighNodeUtilization',
    'RemovePodsViolatingTopologySpreadConstraint',
  ])
  expect(names('deschedule')).toHaveLength(6)
})
