import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import type { Evacuation } from './evacuation.ts'
import {
  foreignFinalizersOf,
  holdsOf,
  instigatorFinalizer,
  instigatorsOf,
  intentsOf,
  withFinalizer,
  withoutFinalizer,
  withoutInstigatorFinalizers,
} from './instigator-finalizers.ts'

const maintenance = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const deployment = 'evacuation.coordination.k8s.io/instigator_deployment.apps.k8s.io'
const foreign = 'example.com/report'

const evacuation = (options: { finalizers?: string[]; classes?: string[] }): Evacuation => ({
  metadata: storedMeta({
    name: 'x',
    namespace: 'shop',
    ...(options.finalizers ? { finalizers: options.finalizers } : {}),
  }),
  spec: {
    podRef: { name: 'cart-7', uid: 'f5823a89-e03f-4752-b013-445643b8c7a0' },
    evacuators: (options.classes ?? []).map((evacuatorClass) => ({ evacuatorClass, priority: 1 })),
    progressDeadlineSeconds: 1_800,
  },
})

describe('intents and holds', () => {
  test.each([
    { name: 'nobody wants anything', finalizers: undefined, classes: [], intents: [], holds: [] },
    {
      name: 'a maintenance wants the pod gone',
      finalizers: [maintenance],
      classes: [],
      intents: [maintenance],
      holds: [],
    },
    { name: 'other finalizers are neither', finalizers: [foreign], classes: [], intents: [], holds: [] },
    {
      name: 'the finalizer of an evacuator is its hold, not an intent',
      finalizers: [maintenance, deployment],
      classes: ['deployment.apps.k8s.io'],
      intents: [maintenance],
      holds: [deployment],
    },
    {
      name: 'the same finalizer is an intent where that class is no evacuator',
      finalizers: [deployment],
      classes: ['statefulset.apps.k8s.io'],
      intents: [deployment],
      holds: [],
    },
    {
      name: 'a hold of a class too long for a finalizer is known by its hash',
      finalizers: [instigatorFinalizer(`${'a'.repeat(50)}.example.com`)],
      classes: [`${'a'.repeat(50)}.example.com`],
      intents: [],
      holds: [instigatorFinalizer(`${'a'.repeat(50)}.example.com`)],
    },
  ])('$name', ({ finalizers, classes, intents, holds }) => {
    const subject = evacuation({ classes, ...(finalizers ? { finalizers } : {}) })
    expect(intentsOf(subject)).toEqual(intents)
    expect(holdsOf(subject)).toEqual(holds)
  })
})

test('a finalizer is one that the API server takes', () => {
  expect(instigatorFinalizer('nodemaintenance.k8s.io')).toBe(maintenance)
  for (const length of [52, 53, 253]) {
    const [, name = ''] = instigatorFinalizer('a'.repeat(length)).split('/')
    expect(name.length).toBeLessThanOrEqual(63)
  }
})

test('adding is idempotent, taking away leaves the others', () => {
  expect(withFinalizer(undefined, maintenance)).toEqual([maintenance])
  expect(withFinalizer([foreign, maintenance], maintenance)).toEqual([foreign, maintenance])
  expect(withoutFinalizer([foreign, maintenance], maintenance)).toEqual([foreign])
  expect(withoutFinalizer(undefined, maintenance)).toEqual([])
  expect(withoutInstigatorFinalizers([maintenance, foreign, deployment])).toEqual([foreign])
})

test('who asks is named, without who only holds and without finalizers of others', () => {
  const finalizers = [maintenance, deployment, foreign]
  expect(instigatorsOf(evacuation({ finalizers, classes: ['deployment.apps.k8s.io'] }))).toEqual([
    'nodemaintenance.k8s.io',
  ])
})

test('those of others are all but the ones that Lifeboat and the evacuators of the pod take off', () => {
  const other = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
  const all = [maintenance, deployment, foreign, other]
  expect(foreignFinalizersOf(evacuation({ finalizers: all, classes: ['deployment.apps.k8s.io'] }))).toEqual([
    foreign,
    other,
  ])
  expect(foreignFinalizersOf(evacuation({}))).toEqual([])
})
