import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { rules } from './rule.ts'
import { count, dnsSubdomain, integer, oneOf, text, timestamp } from './schema.ts'
import { validateSchema } from './validate-schema.ts'

const entry = Type.Object(
  { name: dnsSubdomain('Who.'), weight: integer({ description: 'How much.', minimum: 0, maximum: 9 }) },
  {
    description: 'One.',
    ...rules<{ name: string; weight: number }>({
      rule: "self.name != 'zero' || self.weight == 0",
      message: 'zero weighs nothing',
      fieldPath: '.weight',
      holds: ({ name, weight }) => name !== 'zero' || weight === 0,
    }),
  },
)

const schema = Type.Object({
  mode: oneOf(['On', 'Off'], { description: 'Mode.', default: 'Off' }),
  since: Type.Optional(timestamp('When.')),
  note: Type.Optional(text({ description: 'Words.', maxLength: 5 })),
  ready: Type.Optional(Type.Boolean({ description: 'Whether.' })),
  entries: Type.Optional(
    Type.Array(entry, {
      description: 'All.',
      maxItems: 3,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
  ),
  colours: Type.Optional(
    Type.Array(Type.Object({ red: Type.Integer({ description: 'Red.' }) }), {
      description: 'Colours.',
      'x-kubernetes-list-type': 'set',
    }),
  ),
  counters: Type.Object(
    {
      failures: Type.Integer({
        ...count('How often.'),
        ...rules<number>({
          rule: 'self >= oldSelf',
          message: 'may only grow',
          holds: (self, oldSelf) => self >= oldSelf,
        }),
      }),
    },
    { description: 'Counters.', default: {} },
  ),
})

describe('validateSchema', () => {
  test('takes an object that leaves out what has a default', () => {
    expect(validateSchema(schema, {})).toEqual([])
  })

  test.each([
    { name: 'a value outside an enumeration', value: { mode: 'on' }, field: 'mode', allowed: 'On, Off' },
    { name: 'a time that is none', value: { since: 'now' }, field: 'since', allowed: 'must be a time' },
    { name: 'a text too long', value: { note: 'too long' }, field: 'note', allowed: 'at most 5 characters' },
    { name: 'text for a truth value', value: { ready: 'yes' }, field: 'ready', allowed: 'true or false' },
    { name: 'an object for a list', value: { entries: {} }, field: 'entries', allowed: 'a list of at most 3' },
    {
      name: 'a number out of its range',
      value: { entries: [{ name: 'a', weight: 10 }] },
      field: 'entries[0].weight',
      allowed: 'an integer from 0 to 9',
    },
    {
      name: 'a text that does not fit its pattern',
      value: { entries: [{ name: 'A', weight: 1 }] },
      field: 'entries[0].name',
      allowed: 'a DNS subdomain',
    },
    { name: 'a missing field', value: { entries: [{ name: 'a' }] }, field: 'entries[0].weight', allowed: '0 to 9' },
    {
      name: 'a broken rule, at the field it points to',
      value: { entries: [{ name: 'zero', weight: 1 }] },
      field: 'entries[0].weight',
      allowed: 'zero weighs nothing',
    },
    {
      name: 'two entries under one key',
      value: {
        entries: [
          { name: 'a', weight: 1 },
          { name: 'a', weight: 2 },
        ],
      },
      field: 'entries[1]',
      allowed: 'differ from the other entries in name',
    },
    { name: 'an entry twice', value: { colours: [{ red: 1 }, { red: 1 }] }, field: 'colours[1]', allowed: 'twice' },
  ])('names $name', ({ value, field, allowed }) => {
    const problems = validateSchema(schema, value)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ field, allowed: expect.stringContaining(allowed) as string })
  })

  test('a transition rule looks at updates only, after defaults', () => {
    expect(validateSchema(schema, { counters: { failures: 3 } })).toEqual([])
    expect(validateSchema(schema, { counters: { failures: 3 } }, { counters: { failures: 2 } })).toEqual([])
    expect(validateSchema(schema, {}, { counters: { failures: 2 } })).toEqual([
      { field: 'counters.failures', value: 0, allowed: 'may only grow' },
    ])
  })

  test('says what was found', () => {
    expect(validateSchema(schema, { mode: 'on' })[0]?.value).toBe('on')
    expect(validateSchema(schema, 'nonsense')).toEqual([{ field: '', value: 'nonsense', allowed: 'must be an object' }])
  })

  test('leaves what it is given as it is', () => {
    const value = Object.freeze({})
    validateSchema(schema, value)
    expect(value).toEqual({})
  })
})
