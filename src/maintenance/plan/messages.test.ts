import { expect, test } from 'vitest'
import { maintenanceMessage, nodeMessage } from './messages.ts'
import type { NodeGroup, Standing } from './standing.ts'
import { canonical, targetsOf } from './targets.ts'

// What the examples of KEP-4212 do not show; they are in plan.test.ts.

const standing = (name: string, podPriority: number): Standing => {
  const plan = [{ podPriority, podType: 'Default' as const }]
  return {
    maintenance: { name, createdMs: name.length, plan },
    position: 0,
    targets: targetsOf(plan, 0),
    isUnsettled: false,
    neighbours: new Set(),
    groups: [],
  }
}

test.each([
  { staying: {}, expected: 'Drained' },
  { staying: { Static: 1 }, expected: 'Drained (1 static pod stays)' },
  { staying: { Static: 2 }, expected: 'Drained (2 static pods stay)' },
  { staying: { DaemonSet: 3, Static: 1 }, expected: 'Drained (1 static pod and 3 DaemonSet pods stay)' },
])('$expected', ({ staying, expected }) => {
  const standings = [standing('a', 5)]
  expect(nodeMessage({ standings, targets: [], isDrained: true, isEvacuating: false, staying })).toBe(expected)
})

test('a neighbour that is not done is waited for', () => {
  const [own, neighbour] = [standing('own', 5), standing('other', 5)]
  neighbour.isUnsettled = true
  own.neighbours.add(neighbour)
  expect(maintenanceMessage({ standing: own, isDrained: false, isEvacuating: false, staying: {} })).toBe(
    'Waiting for other.',
  )
})

test('names that do not fit are counted', () => {
  const eldest = standing('x', 9)
  const others = Array.from({ length: 60 }, (_, index) => standing(`${index}`.padStart(200, 'm'), 1))
  const standings = [eldest, ...others]
  const message = nodeMessage({ standings, targets: canonical([]), isDrained: false, isEvacuating: true, staying: {} })
  expect(message.length).toBeLessThan(4_096)
  expect(message).toMatch(/^Evacuating \(limited by m+10, .* and 41 more\)$/)
})

test('a maintenance does not name the younger ones that limit it: its nodes do', () => {
  const [old, young] = [standing('a', 9), standing('bb', 5)]
  const sum = { targets: new Set([young.targets]) }
  const group = { standings: [old, young], members: [], sum } as unknown as NodeGroup
  old.groups.push(group)
  expect(maintenanceMessage({ standing: old, isDrained: false, isEvacuating: true, staying: {} })).toBe('Evacuating')
  expect(
    nodeMessage({ standings: [old, young], targets: young.targets, isDrained: false, isEvacuating: true, staying: {} }),
  ).toBe('Evacuating (limited by bb)')
})
