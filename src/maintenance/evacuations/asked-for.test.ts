import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { isAskedByMaintenance, isEnding, isUnderWay } from './asked-for.ts'

const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const evacuation = (metadata: Partial<Evacuation['metadata']> = {}) =>
  stored<Evacuation>({
    metadata: { namespace: 'shop', name: 'u-web', finalizers: [ours], ...metadata },
    spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
  })
const deleted = evacuation({ deletionTimestamp: '2026-01-01T12:00:00Z' })

test('only an Evacuation that was not deleted is under way', () => {
  expect([isUnderWay(evacuation()), isUnderWay(deleted), isUnderWay(undefined)]).toEqual([true, false, false])
  expect([isEnding(evacuation()), isEnding(deleted), isEnding(undefined)]).toEqual([false, true, false])
})

test('who asked is told by the finalizer', () => {
  expect(isAskedByMaintenance(evacuation())).toBe(true)
  expect(isAskedByMaintenance(evacuation({ finalizers: [] }))).toBe(false)
})
