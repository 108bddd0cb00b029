import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byPriorityThenClass, type Evacuator } from './evacuator.ts'
import {
  hashOfClass,
  parseEvacuatorAnnotations,
  renderEvacuatorAnnotations,
  validateEvacuatorAnnotations,
} from './evacuator-annotations.ts'
import { evacuationSpecSchema } from './evacuation.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const priority = (suffix: string) => `evacuation.coordination.k8s.io/priority_${suffix}`
const hash = (suffix: string) => `evacuation.coordination.k8s.io/hash_${suffix}`
const longClass = 'sensitive-workload-operator.tom-and-jerry-delicious-fruit-company.com'
const podRef = { name: 'cart-7', uid: 'f5823a89-e03f-4752-b013-445643b8c7a0' }

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [priority(`e${index}.example.com`), `${index}`]))

describe('parseEvacuatorAnnotations', () => {
  test('reads the three evacuators of the example, first to act first', () => {
    const annotations = {
      [priority('fallback-evacuator.rescue-company.com')]: '2000',
      [priority('deployment.apps.k8s.io')]: '10000/controller',
      [priority('sensitive-workload-operator.fruit-company.com')]: '11000/knowledgeable-app-specific',
      'example.com/other': 'left alone',
    }
    expect(parseEvacuatorAnnotations(annotations)).toEqual({
      evacuators: [
        {
          evacuatorClass: 'sensitive-workload-operator.fruit-company.com',
          priority: 11_000,
          role: 'knowledgeable-app-specific',
        },
        { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' },
        { evacuatorClass: 'fallback-evacuator.rescue-company.com', priority: 2_000 },
      ],
      problems: [],
    })
  })

  test('reads a class behind whatever hash somebody used', () => {
    const annotations = { [priority('7bb77f87dc')]: '11000/app', [hash('7bb77f87dc')]: longClass }
    expect(parseEvacuatorAnnotations(annotations).evacuators).toEqual([
      { evacuatorClass: longClass, priority: 11_000, role: 'app' },
    ])
  })

  test('takes a suffix without a hash annotation for the class itself', () => {
    expect(parseEvacuatorAnnotations({ [priority('7bb77f87dc')]: '5' }).evacuators).toEqual([
      { evacuatorClass: '7bb77f87dc', priority: 5 },
    ])
  })

  test('nothing comes of no annotations', () => {
    expect(parseEvacuatorAnnotations(undefined)).toEqual({ evacuators: [], problems: [] })
  })

  test('keeps the good ones beside the bad ones', () => {
    const { evacuators, problems } = parseEvacuatorAnnotations({
      [priority('a.example.com')]: 'high',
      [priority('b.example.com')]: '7',
    })
    expect(evacuators.map(({ evacuatorClass }) => evacuatorClass)).toEqual(['b.example.com'])
    expect(problems.map(({ kind }) => kind)).toEqual(['badPriority'])
  })

  test('whatever the annotations say, an Evacuation may carry what comes out', () => {
    const value = fc.oneof(
      fc.constantFrom(
        '10000/controller',
        '10000',
        '9/controller',
        '5/x',
        '5/',
        '/x',
        '100000',
        '100001',
        '-1',
        '1e3',
        '',
      ),
      fc.nat(200_000).map(String),
      fc.string(),
    )
    const suffix = fc.constantFrom('a.example.com', 'b.example.com', 'Bad', '0123456789', 'deployment.apps.k8s.io')
    const annotations = fc.dictionary(
      fc.oneof(
        suffix.map(priority),
        suffix.map(hash),
        fc.nat(150).map((index) => priority(`e${index}`)),
      ),
      fc.oneof(value, fc.constant('a.example.com')),
      { maxKeys: 150 },
    )
    fc.assert(
      fc.property(annotations, (podAnnotations) => {
        const { evacuators } = parseEvacuatorAnnotations(podAnnotations)
        expect(validateSchema(evacuationSpecSchema, { podRef, evacuators })).toEqual([])
        expect(evacuators.toSorted(byPriorityThenClass)).toEqual(evacuators)
      }),
    )
  })
})

describe('renderEvacuatorAnnotations', () => {
  test('hashes a class that is too long for a key', () => {
    expect(hashOfClass(longClass)).toMatch(/^[0-9a-f]{10}$/)
    expect(renderEvacuatorAnnotations({ evacuatorClass: longClass, priority: 11_000 })).toEqual({
      [priority(hashOfClass(longClass))]: '11000',
      [hash(hashOfClass(longClass))]: longClass,
    })
  })

  test('a class of 54 characters still fits', () => {
    const evacuatorClass = 'a'.repeat(54)
    const keys = Object.keys(renderEvacuatorAnnotations({ evacuatorClass, priority: 1 }))
    expect(keys).toEqual([priority(evacuatorClass)])
    expect(Object.keys(renderEvacuatorAnnotations({ evacuatorClass: 'a'.repeat(55), priority: 1 }))).toHaveLength(2)
  })

  test('what was rendered is parsed back', () => {
    const evacuator = fc.record(
      {
        evacuatorClass: fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,100}[a-z0-9])?(\.[a-z0-9]{1,20})?$/),
        priority: fc.integer({ min: 0, max: 100_000 }).filter((value) => value !== 10_000),
        role: fc
          .stringMatching(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,60}[A-Za-z0-9])?$/)
          .filter((role) => role !== 'controller'),
      },
      { requiredKeys: ['evacuatorClass', 'priority'] },
    )
    fc.assert(
      fc.property(evacuator, (written: Evacuator) => {
        const parsed = parseEvacuatorAnnotations(renderEvacuatorAnnotations(written))
        expect(parsed).toEqual({ evacuators: [written], problems: [] })
      }),
    )
  })
})

describe('validateEvacuatorAnnotations', () => {
  test.each([
    { name: 'a priority and a role', annotations: { [priority('a.example.com')]: '11000/app' } },
    { name: 'a priority alone', annotations: { [priority('a.example.com')]: '0' } },
    { name: 'the highest priority', annotations: { [priority('a.example.com')]: '100000' } },
    { name: 'a controller', annotations: { [priority('a.example.com')]: '10000/controller' } },
    { name: 'two of the same priority', annotations: { [priority('a')]: '5', [priority('b')]: '5' } },
    { name: '99 without a controller', annotations: many(99) },
    { name: '99 and the controller', annotations: { ...many(99), [priority('c.example.com')]: '10000/controller' } },
    { name: 'a hash that nothing refers to', annotations: { [hash('0123456789')]: 'a.example.com' } },
  ])('takes $name', ({ annotations }) => {
    expect(validateEvacuatorAnnotations(annotations)).toEqual([])
  })

  test.each([
    { name: 'a priority that is no number', annotations: { [priority('a')]: 'high' }, kinds: ['badPriority'] },
    { name: 'no priority', annotations: { [priority('a')]: '' }, kinds: ['badPriority'] },
    { name: 'a role alone', annotations: { [priority('a')]: '/controller' }, kinds: ['badPriority'] },
    { name: 'a negative priority', annotations: { [priority('a')]: '-1' }, kinds: ['badPriority'] },
    { name: 'a priority above 100000', annotations: { [priority('a')]: '100001' }, kinds: ['badPriority'] },
    { name: 'a fraction', annotations: { [priority('a')]: '1.5' }, kinds: ['badPriority'] },
    { name: 'blanks', annotations: { [priority('a')]: ' 5' }, kinds: ['badPriority'] },
    { name: 'leading zeros', annotations: { [priority('a')]: '010000/controller' }, kinds: ['badPriority'] },
    { name: 'an empty role', annotations: { [priority('a')]: '5/' }, kinds: ['badRole'] },
    { name: 'a role with a slash', annotations: { [priority('a')]: '5/x/y' }, kinds: ['badRole'] },
    { name: 'a role of 64 characters', annotations: { [priority('a')]: `5/${'a'.repeat(64)}` }, kinds: ['badRole'] },
    { name: 'a class that is no subdomain', annotations: { [priority('A_b')]: '5' }, kinds: ['badClass'] },
    { name: 'no class', annotations: { [priority('')]: '5' }, kinds: ['badClass'] },
    {
      name: 'a hash for what is no subdomain',
      annotations: { [priority('0123456789')]: '5', [hash('0123456789')]: 'Bad Class' },
      kinds: ['badClass'],
    },
    {
      name: 'a controller of another priority',
      annotations: { [priority('a')]: '9999/controller' },
      kinds: ['controllerPriority'],
    },
    { name: 'priority 10000 without a role', annotations: { [priority('a')]: '10000' }, kinds: ['reservedPriority'] },
    {
      name: 'priority 10000 of another role',
      annotations: { [priority('a')]: '10000/Controller' },
      kinds: ['reservedPriority'],
    },
    {
      name: 'two controllers',
      annotations: { [priority('a')]: '10000/controller', [priority('b')]: '10000/controller' },
      kinds: ['secondController'],
    },
    {
      name: 'a class registered twice, once behind a hash',
      annotations: {
        [priority('a.example.com')]: '5',
        [priority('0123456789')]: '6',
        [hash('0123456789')]: 'a.example.com',
      },
      kinds: ['repeatedClass'],
    },
    { name: '100 without a controller', annotations: many(100), kinds: ['tooMany'] },
    {
      name: '101 with a controller',
      annotations: { ...many(100), [priority('c.example.com')]: '10000/controller' },
      kinds: ['tooMany'],
    },
  ])('refuses $name', ({ annotations, kinds }) => {
    const problems = validateEvacuatorAnnotations(annotations)
    expect(problems.map(({ kind }) => kind)).toEqual(kinds)
    expect(problems[0]?.field).toMatch(/^metadata\.annotations/)
  })
})
