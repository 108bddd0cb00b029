import Value from 'typebox/value'
import { expect, expectTypeOf, test } from 'vitest'
import { apiVersionOf } from '../kubernetes/resources.ts'
import { stored } from '../../../test/build/stored.ts'
import {
  isCompleted,
  isDrained,
  newNodeMaintenanceStatus,
  nodeMaintenances,
  nodeMaintenanceStatusSchema,
  nodeMaintenanceType,
  type NodeMaintenance,
  type NodeMaintenanceSpec,
} from './node-maintenance.ts'
import type { PodType } from './pod-type.ts'
import type { Stage } from './stage.ts'

test('a new status is what the defaults of the schema make of nothing', () => {
  expect(Value.Default(nodeMaintenanceStatusSchema, {})).toEqual(newNodeMaintenanceStatus)
})

test('the type follows from the schema', () => {
  expectTypeOf<NodeMaintenanceSpec['stage']>().toEqualTypeOf<Stage>()
  expectTypeOf<NonNullable<NodeMaintenanceSpec['drainPlan']>[number]['podType']>().toEqualTypeOf<PodType>()
})

test('the resource and the type name the same version', () => {
  expect(apiVersionOf(nodeMaintenances)).toBe(nodeMaintenanceType.apiVersion)
})

test.each([
  { name: 'nothing is said', said: [], drained: false, completed: false },
  { name: 'Drained is True', said: [['Drained', 'True']], drained: true, completed: false },
  { name: 'Drained is False', said: [['Drained', 'False']], drained: false, completed: false },
  { name: 'Completed is True', said: [['Completed', 'True']], drained: false, completed: true },
] as const)('where $name, drained is $drained and completed is $completed', ({ said, drained, completed }) => {
  const conditions = said.map(([type, status]) => ({ type, status, reason: 'R', message: '', lastTransitionTime: '' }))
  const maintenance = stored<NodeMaintenance>({
    metadata: {},
    spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [] } },
    status: { ...newNodeMaintenanceStatus, conditions },
  })
  expect([isDrained(maintenance), isCompleted(maintenance)]).toEqual([drained, completed])
})
