import { describe, expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../kubernetes/core.ts'
import { evacuationSpecSchema } from './evacuation.ts'
import type { Evacuator } from './evacuator.ts'
import { resolveEvacuators } from './resolve-evacuators.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const bare = stored<Pod>({ metadata: { namespace: 'shop' } })
const podWith = (classes: Readonly<Record<string, string>>): Pod => {
  const entries = Object.entries(classes)
  const annotations = entries.map(([name, value]) => [`evacuation.coordination.k8s.io/priority_${name}`, value])
  return { metadata: { ...bare.metadata, annotations: Object.fromEntries(annotations) } }
}
const evacuator = (evacuatorClass: string, priority: number, role?: string): Evacuator => ({
  evacuatorClass,
  priority,
  ...(role === undefined ? {} : { role }),
})
const controller = (name: string) => evacuator(name, 10_000, 'controller')
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => evacuator(`${prefix}${index}`, index))

describe('resolveEvacuators', () => {
  test.each<{
    name: string
    pod?: Record<string, string>
    claims?: Evacuator[]
    given?: Evacuator[]
    expected: Evacuator[]
  }>([
    { name: 'nobody is nobody', expected: [] },
    {
      name: 'all three sources are in the order in which they act',
      pod: { a: '5' },
      claims: [evacuator('b', 7)],
      given: [evacuator('c', 6), evacuator('d', 7)],
      expected: [evacuator('b', 7), evacuator('d', 7), evacuator('c', 6), evacuator('a', 5)],
    },
    {
      name: 'the pod wins a class over a claim and an instigator',
      pod: { a: '5' },
      claims: [evacuator('a', 1)],
      given: [evacuator('a', 2)],
      expected: [evacuator('a', 5)],
    },
    {
      name: 'a claim wins a class over the instigator',
      claims: [evacuator('a', 1)],
      given: [evacuator('a', 2)],
      expected: [evacuator('a', 1)],
    },
    {
      name: 'the controller of the pod leaves no place for another',
      pod: { a: '10000/controller' },
      claims: [controller('b')],
      given: [controller('c'), evacuator('d', 1)],
      expected: [controller('a'), evacuator('d', 1)],
    },
    {
      name: 'a claiming controller leaves no place for the one of the instigator',
      claims: [controller('b')],
      given: [controller('c')],
      expected: [controller('b')],
    },
    {
      name: 'bad annotations are as good as none',
      pod: { a: 'high' },
      given: [evacuator('a', 2)],
      expected: [evacuator('a', 2)],
    },
  ])('$name', ({ pod = {}, claims = [], given, expected }) => {
    expect(resolveEvacuators(podWith(pod), claims, given)).toEqual(expected)
  })

  test('a pod without annotations has none', () => {
    expect(resolveEvacuators(bare, [])).toEqual([])
  })

  test.each([
    { name: 'too many claims', claims: many('a', 150), given: [], expected: 99 },
    { name: 'claims and entries of the instigator', claims: many('a', 60), given: many('b', 60), expected: 99 },
    { name: 'all of them and a controller', claims: many('a', 99), given: [controller('c')], expected: 100 },
  ])('$name still make an Evacuation that the schema takes', ({ claims, given, expected }) => {
    const evacuators = resolveEvacuators(bare, claims, given)
    expect(evacuators).toHaveLength(expected)
    const podRef = { name: 'web', uid: 'f5823a89-e03f-4752-b013-445643b8c7a0' }
    expect(validateSchema(evacuationSpecSchema, { podRef, evacuators })).toEqual([])
    expect(evacuators).toEqual(expect.arrayContaining(claims.toSorted((a, b) => b.priority - a.priority).slice(0, 60)))
  })
})
