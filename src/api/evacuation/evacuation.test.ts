import Value from 'typebox/value'
import { expect, expectTypeOf, test } from 'vitest'
import {
  evacuations,
  evacuationStatusSchema,
  evacuationType,
  newEvacuationStatus,
  type EvacuationSpec,
  type EvacuationStatus,
} from './evacuation.ts'
import { apiVersionOf } from '../kubernetes/resources.ts'

test('a new status is what the defaults of the schema make of nothing', () => {
  expect(Value.Default(evacuationStatusSchema, {})).toEqual(newEvacuationStatus)
})

test('the type follows from the schema', () => {
  expectTypeOf<EvacuationSpec['podRef']>().toEqualTypeOf<{ readonly name: string; readonly uid: string }>()
  expectTypeOf<EvacuationStatus['evacuationCancellationPolicy']>().toEqualTypeOf<'Allow' | 'Forbid'>()
  expectTypeOf<EvacuationStatus['activeEvacuatorClass']>().toEqualTypeOf<string | undefined>()
})

test('the resource and the type name the same version', () => {
  expect(apiVersionOf(evacuations)).toBe(evacuationType.apiVersion)
})
