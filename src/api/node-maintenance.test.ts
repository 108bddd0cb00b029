import Value from 'typebox/value'
import { expect, expectTypeOf, test } from 'vitest'
import { apiVersionOf } from './kubernetes/resources.ts'
import {
  newNodeMaintenanceStatus,
  nodeMaintenances,
  nodeMaintenanceStatusSchema,
  nodeMaintenanceType,
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
