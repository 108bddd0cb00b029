import { describe, expect, test } from 'vitest'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { dnsSubdomain, integer, labelKey, labelValue, oneOf, podUid, timestamp } from './schema.ts'

const long = (length: number) => 'a'.repeat(length)

const cases: { what: string; schema: TSchema; good: unknown[]; bad: unknown[] }[] = [
  {
    what: 'a DNS subdomain',
    schema: dnsSubdomain('A name.'),
    good: ['a', 'deployment.apps.k8s.io', '0-1.2', long(253)],
    bad: ['', 'A', 'a.', '-a', 'a..b', 'a_b', 'a\n', long(254)],
  },
  {
    what: 'the UID of a pod',
    schema: podUid('A UID.'),
    good: ['f5823a89-e03f-4752-b013-445643b8c7a0'],
    bad: ['', 'F5823A89-E03F-4752-B013-445643B8C7A0', 'f5823a89e03f4752b013445643b8c7a0', ' f5823a89-e03f-4752-b013'],
  },
  {
    what: 'a label key',
    schema: labelKey('A key.'),
    good: ['app', 'example.com/Tier_1', 'node-role.kubernetes.io/control-plane'],
    bad: ['', '/app', 'example.com/', 'a b', 'Example.com/tier', 'app-'],
  },
  {
    what: 'a label value',
    schema: labelValue('A value.'),
    good: ['', 'a', 'v1.2_3', long(63)],
    bad: ['-a', 'a b', long(64)],
  },
  { what: 'an enumeration', schema: oneOf(['Yes', 'No'], { description: 'Or.' }), good: ['Yes'], bad: ['yes', 1] },
  {
    what: 'an integer',
    schema: integer({ description: 'A number.', minimum: 1, maximum: 3 }),
    good: [1, 3],
    bad: [0, 4, 1.5, '1', null],
  },
  {
    what: 'a timestamp',
    schema: timestamp('When.'),
    good: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+02:00'],
    bad: ['', 'yesterday', '2026-01-01'],
  },
]

describe.each(cases)('$what', ({ schema, good, bad }) => {
  test.each(good)('may be %j', (value) => expect(Value.Check(schema, value)).toBe(true))
  test.each(bad)('may not be %j', (value) => expect(Value.Check(schema, value)).toBe(false))
})
