import { expect, test } from 'vitest'
import { defaultEvictorArgs, enabled, policyOf, profileOf } from '../../test/build/cycle-policy.ts'
import { needsOf } from './needs.ts'
import type { DefaultEvictorArgs } from './policy/policy.ts'

const nothing = { namespaces: false, budgets: false, claims: false, conditions: false, priorityClasses: [] }

test.each<{ readonly name: string; readonly args: Partial<DefaultEvictorArgs>; readonly expected: object }>([
  { name: 'the defaults', args: {}, expected: {} },
  { name: 'labels of namespaces', args: { namespaceLabelSelector: {} }, expected: { namespaces: true } },
  { name: 'pods without a budget', args: { protections: new Set(['PodsWithoutPDB']) }, expected: { budgets: true } },
  { name: 'any claim', args: { protections: new Set(['PodsWithPVC']) }, expected: {} },
  {
    name: 'claims of a class',
    args: { protections: new Set(['PodsWithPVC']), protectedStorageClasses: ['fast'] },
    expected: { claims: true },
  },
  { name: 'a threshold by value', args: { priorityThreshold: { value: 7 } }, expected: {} },
  {
    name: 'a threshold by name',
    args: { priorityThreshold: { name: 'high' } },
    expected: { priorityClasses: ['high'] },
  },
])('$name: $expected', ({ args, expected }) => {
  const profile = { ...profileOf('p', {}), defaultEvictor: { ...defaultEvictorArgs, ...args } }
  expect(needsOf(policyOf({ profiles: [profileOf('q', {}), profile, profile] }))).toEqual({ ...nothing, ...expected })
})

test.each([
  { name: 'PodLifeTime without conditions', plugin: enabled('PodLifeTime'), expected: false },
  { name: 'PodLifeTime with none', plugin: enabled('PodLifeTime', { conditions: [] }), expected: false },
  { name: 'PodLifeTime with one', plugin: enabled('PodLifeTime', { conditions: [{ type: 'Ready' }] }), expected: true },
  { name: 'another plugin', plugin: enabled('RemoveFailedPods'), expected: false },
])('conditions of pods, for $name: $expected', ({ plugin, expected }) => {
  const profiles = [profileOf('p', {}), profileOf('q', { deschedule: [plugin] })]
  expect(needsOf(policyOf({ profiles })).conditions).toBe(expected)
})
