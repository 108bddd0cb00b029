import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { rules } from './rule.ts'
import { dnsSubdomain } from './schema.ts'
import { structuralSchema, StructuralSchemaError } from './structural-schema.ts'

describe('structuralSchema', () => {
  test.each([
    {
      name: 'an object keeps its required properties',
      schema: Type.Object({ a: Type.String(), b: Type.Optional(Type.Boolean()) }),
      expected: { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'boolean' } } },
    },
    {
      name: 'a property with a default is not required',
      schema: Type.Object({ a: Type.String({ default: '' }) }, { default: {} }),
      expected: { type: 'object', default: {}, properties: { a: { type: 'string', default: '' } } },
    },
    {
      name: 'an enumeration gets a type',
      schema: Type.Enum(['A', 'B']),
      expected: { type: 'string', enum: ['A', 'B'] },
    },
    {
      name: 'a constant becomes an enumeration of one',
      schema: Type.Literal(3),
      expected: { type: 'number', enum: [3] },
    },
    {
      name: 'a union of constants becomes an enumeration',
      schema: Type.Union([Type.Literal('A'), Type.Literal('B')], { description: 'Or.' }),
      expected: { description: 'Or.', type: 'string', enum: ['A', 'B'] },
    },
    {
      name: 'a union with null becomes nullable',
      schema: Type.Union([Type.String(), Type.Null()]),
      expected: { type: 'string', nullable: true },
    },
    {
      name: 'a record gets additionalProperties',
      schema: Type.Record(Type.String(), Type.Integer(), { maxProperties: 3 }),
      expected: { type: 'object', maxProperties: 3, additionalProperties: { type: 'integer' } },
    },
    { name: 'an identifier is dropped', schema: Type.String({ $id: 'x' }), expected: { type: 'string' } },
    {
      name: 'an extension of Kubernetes is kept',
      schema: Type.Unsafe({ 'x-kubernetes-int-or-string': true }),
      expected: { 'x-kubernetes-int-or-string': true },
    },
    {
      name: 'a rule leaves its function behind',
      schema: Type.Array(Type.String(), { ...rules({ rule: 'true', message: 'fine', holds: () => true }) }),
      expected: {
        type: 'array',
        items: { type: 'string' },
        'x-kubernetes-validations': [{ rule: 'true', message: 'fine' }],
      },
    },
  ])('$name', ({ schema, expected }) => {
    expect(structuralSchema(schema)).toEqual(expected)
  })

  test('what is meant for our own errors stays with us', () => {
    expect(structuralSchema(dnsSubdomain('A name.'))).not.toHaveProperty('allowed')
  })

  test.each([
    { name: 'a keyword without a structural form', schema: Type.Array(Type.String(), { uniqueItems: true }) },
    { name: 'a union of types', schema: Type.Union([Type.String(), Type.Integer()]) },
    { name: 'a record of some keys', schema: Type.Record(Type.TemplateLiteral('a${string}'), Type.String()) },
    { name: 'an enumeration of several types', schema: Type.Enum(['A', 1]) },
  ])('refuses $name', ({ schema }) => {
    expect(() => structuralSchema(schema)).toThrow(StructuralSchemaError)
  })
})
