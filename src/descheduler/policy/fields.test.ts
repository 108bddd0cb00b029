import { describe, expect, test } from 'vitest'
import { Fields, fromZero, suggest, type Origin } from './fields.ts'
import { Findings, renderPolicyProblem } from './problem.ts'

function open(value: unknown, origin: Partial<Origin> = {}) {
  const findings = new Findings()
  const report = findings.at({ profile: undefined, plugin: undefined })
  const fields = new Fields(value, { path: 'args', report, unknownFields: 'problem', ...origin })
  return { fields, problems: () => findings.problems.map(renderPolicyProblem), warnings: findings.warnings }
}

describe('one field', () => {
  test.each<{ name: string; read: (fields: Fields) => unknown; value: unknown; expected: unknown }>([
    { name: 'a text is read', read: (fields) => fields.text('a'), value: 'x', expected: 'x' },
    { name: 'an empty text reads as left out', read: (fields) => fields.text('a'), value: '', expected: undefined },
    { name: 'null reads as left out', read: (fields) => fields.text('a'), value: null, expected: undefined },
    { name: 'a flag is read', read: (fields) => fields.flag('a'), value: false, expected: false },
    { name: 'a whole number is read', read: (fields) => fields.integer('a', fromZero), value: 0, expected: 0 },
    { name: 'a choice is read', read: (fields) => fields.choice('a', ['x', 'y']), value: 'y', expected: 'y' },
    {
      name: 'an empty choice reads as left out',
      read: (fields) => fields.choice('a', ['x']),
      value: '',
      expected: undefined,
    },
    { name: 'a list is read', read: (fields) => fields.texts('a'), value: ['x', ''], expected: ['x', ''] },
    { name: 'an empty list reads as left out', read: (fields) => fields.texts('a'), value: [], expected: undefined },
    {
      name: 'a list of numbers is read',
      read: (fields) => fields.integers('a', {}),
      value: [1, -1],
      expected: [1, -1],
    },
    { name: 'a map that is left out is empty', read: (fields) => fields.map('a')?.size, value: null, expected: 0 },
    {
      name: 'an object that is left out is none',
      read: (fields) => fields.object('a'),
      value: null,
      expected: undefined,
    },
    {
      name: 'objects that are left out are none',
      read: (fields) => fields.objects('a'),
      value: undefined,
      expected: [],
    },
  ])('$name', ({ read, value, expected }) => {
    const { fields, problems } = open({ a: value })
    expect(read(fields)).toEqual(expected)
    expect(problems()).toEqual([])
  })

  test.each<{ name: string; read: (fields: Fields) => unknown; value: unknown; expected: string }>([
    {
      name: 'a number is no text',
      read: (fields) => fields.text('a'),
      value: 1,
      expected: 'args.a is 1: must be a string',
    },
    {
      name: 'a text is no flag',
      read: (fields) => fields.flag('a'),
      value: 'true',
      expected: 'args.a is "true": must be true or false',
    },
    {
      name: 'half a number is not whole',
      read: (fields) => fields.integer('a'),
      value: 0.5,
      expected: 'args.a is 0.5: must be a whole number',
    },
    {
      name: 'a number may be too small',
      read: (fields) => fields.integer('a', fromZero),
      value: -1,
      expected: 'args.a is -1: must be a whole number of at least 0',
    },
    {
      name: 'a number may be too large',
      read: (fields) => fields.integer('a', { maximum: 5 }),
      value: 6,
      expected: 'args.a is 6: must be a whole number of at most 5',
    },
    {
      name: 'a number may be outside of a range',
      read: (fields) => fields.integer('a', { minimum: 1, maximum: 5 }),
      value: 6,
      expected: 'args.a is 6: must be a whole number from 1 to 5',
    },
    {
      name: 'another word is no choice',
      read: (fields) => fields.choice('a', ['x', 'y']),
      value: 'z',
      expected: 'args.a is "z": must be one of x, y',
    },
    {
      name: 'of one choice there is no list',
      read: (fields) => fields.choice('a', ['x']),
      value: 'z',
      expected: 'args.a is "z": must be x',
    },
    {
      name: 'a text is no list',
      read: (fields) => fields.texts('a'),
      value: 'x',
      expected: 'args.a is "x": must be a list',
    },
    {
      name: 'an item is named by its place',
      read: (fields) => fields.texts('a'),
      value: ['x', 1],
      expected: 'args.a[1] is 1: must be a string',
    },
    {
      name: 'an item may be no choice',
      read: (fields) => fields.choices('a', ['x', 'y']),
      value: ['z'],
      expected: 'args.a[0] is "z": must be one of x, y',
    },
    {
      name: 'an item may be outside of a range',
      read: (fields) => fields.integers('a', fromZero),
      value: [1, -1],
      expected: 'args.a[1] is -1: must be a whole number of at least 0',
    },
    {
      name: 'a list is no map',
      read: (fields) => fields.map('a'),
      value: [],
      expected: 'args.a is []: must be an object',
    },
    {
      name: 'a text is no object',
      read: (fields) => fields.object('a'),
      value: 'x',
      expected: 'args.a is "x": must be an object',
    },
    {
      name: 'an item may be no object',
      read: (fields) => fields.objects('a'),
      value: [{}, 1],
      expected: 'args.a[1] is 1: must be an object',
    },
    {
      name: 'a required field may be missing',
      read: (fields) => fields.require('a', 'must be x'),
      value: undefined,
      expected: 'args.a is missing: must be x',
    },
    {
      name: 'a required list may be empty',
      read: (fields) => fields.require('a', 'must have an item'),
      value: [],
      expected: 'args.a is []: must have an item',
    },
  ])('$name', ({ read, value, expected }) => {
    const { fields, problems } = open({ a: value })
    read(fields)
    expect(problems()).toEqual([expected])
  })

  test('what every object inherits is no field', () => {
    const { fields } = open({})
    expect(fields.value('constructor')).toBeUndefined()
  })
})

test.each([
  { name: 'names are joined by dots', names: ['thresholds', 'cpu'], expected: 'args.thresholds.cpu' },
  { name: 'others stand in brackets', names: ['thresholds', 'a.b/c'], expected: 'args.thresholds["a.b/c"]' },
])('$name', ({ names, expected }) => expect(open({}).fields.pathOf(...names)).toBe(expected))

describe('unknown fields', () => {
  const value = { known: 1, child: { know: 2 }, list: [{ other: 3 }] }
  const read = (fields: Fields) => {
    fields.value('known')
    fields.object('child')?.value('known')
    for (const each of fields.objects('list')) each.value('known')
    fields.reportUnknown()
  }

  test('are problems at any depth, with the closest name or all', () => {
    const { fields, problems } = open(value)
    read(fields)
    expect(problems()).toEqual([
      'args.child.know is 2: there is no such field; did you mean known?',
      'args.list[0].other is 3: there is no such field; there are known',
    ])
  })

  test('are warnings where they are ignored', () => {
    const { fields, problems, warnings } = open(value, { path: '', unknownFields: 'warning' })
    read(fields)
    expect(problems()).toEqual([])
    expect(warnings).toEqual([
      'child.know has no effect: there is no such field; did you mean known?',
      'list[0].other has no effect: there is no such field',
    ])
  })

  test('are problems in a strict object within one that ignores them', () => {
    const { fields, problems } = open({ strict: { a: 1 } }, { path: '', unknownFields: 'warning' })
    fields.strictObject('strict')
    fields.reportUnknown()
    expect(problems()).toEqual(['strict.a is 1: there is no such field'])
  })

  test('may be passed over', () => {
    const { fields, problems } = open({ kind: 'X' })
    fields.reportUnknown(['kind'])
    expect(problems()).toEqual([])
  })

  test('of an object with another root are reported from there alone', () => {
    const findings = new Findings()
    const { fields, warnings } = open({ a: 1 }, { unknownFields: 'warning' })
    const report = findings.at({ profile: 'p', plugin: undefined })
    fields.rootedAt({ path: '', report, unknownFields: 'warning' })
    fields.reportUnknown()
    expect(warnings).toEqual([])
    expect(findings.warnings).toEqual(['profile p: a has no effect: there is no such field'])
  })
})

test.each([
  { name: 'a close name is suggested', wanted: 'preEvictionFilter', expected: '; did you mean preevictionfilter?' },
  { name: 'no name is close', wanted: 'strategies', expected: '; there are a, b' },
  { name: 'no name is close to none', wanted: '', expected: '; there are a, b' },
])('$name', ({ wanted, expected }) => {
  expect(suggest(wanted, ['preevictionfilter', 'filter'], { orElse: ['b', 'a'] })).toBe(expected)
})
