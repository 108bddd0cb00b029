import { expect, test } from 'vitest'
import { negotiate, parseAccept } from './media-type.ts'

const table = { encoding: 'json', shape: 'Table', shapeVersion: 'v1' }
const object = { encoding: 'json', shape: undefined, shapeVersion: '' }

test.each([
  { name: 'nothing asked for', accept: undefined, expected: object },
  { name: 'an empty list', accept: ' ', expected: object },
  { name: 'anything', accept: '*/*', expected: object },
  {
    name: 'what kubectl get asks for',
    accept:
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
    expected: table,
  },
  {
    name: 'JSON before a table',
    accept: 'application/json, application/json;as=Table;v=v1;g=meta.k8s.io',
    expected: object,
  },
  {
    name: 'a table of an unknown version',
    accept: 'application/json;as=Table;v=v9;g=meta.k8s.io',
    expected: undefined,
  },
  {
    name: 'what typed clients ask for: protobuf, or else JSON',
    accept: 'application/vnd.kubernetes.protobuf,application/json',
    expected: object,
  },
  { name: 'protobuf and nothing else', accept: 'application/vnd.kubernetes.protobuf', expected: undefined },
  { name: 'YAML', accept: 'application/yaml', expected: { ...object, encoding: 'yaml' } },
  { name: 'text', accept: 'text/plain', expected: undefined },
  { name: 'the better one by quality', accept: 'application/yaml;q=0.5, application/json;q=0.9', expected: object },
  { name: 'a quality of zero, which is a refusal', accept: 'application/json;q=0', expected: undefined },
  {
    name: 'metadata alone',
    accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    expected: { encoding: 'json', shape: 'PartialObjectMetadataList', shapeVersion: 'v1' },
  },
])('$name', ({ accept, expected }) => {
  expect(negotiate(accept)).toEqual(expected)
})

test('parameters are read with and without quotes, and names in any case', () => {
  expect(parseAccept('Application/JSON; AS="Table";v=v1')).toEqual([
    { type: 'application/json', parameters: { as: 'Table', v: 'v1' } },
  ])
})
