import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { namespaces } from '../../server/kinds/cluster-kinds.ts'
import type { ApiRequest } from '../../server/request.ts'
import { eventPresenter, present } from './present.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 5)
const object = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: storedMeta({ name: 'shop', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z' }),
  status: { phase: 'Active' },
}
const list = {
  kind: 'NamespaceList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9', continue: 'x' },
  items: [object],
}
const one = { kind: 'object', object } as const
const many = { kind: 'list', list } as const
const request = (as?: string, query: Record<string, string> = {}): ApiRequest => ({
  method: 'GET',
  path: '/api/v1/namespaces',
  query,
  headers: as === undefined ? {} : { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` },
  body: undefined,
  user: { name: 'joe', groups: [] },
  signal: undefined,
})
const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata }

test('as it is, unless somebody asks for more', () => {
  expect(present(request(), namespaces, one, nowMs)).toBe(object)
  expect(present(request(), namespaces, many, nowMs)).toBe(list)
})

test.each([
  { include: undefined, expected: partial },
  { include: 'Metadata', expected: partial },
  { include: 'Object', expected: object },
  { include: 'None', expected: null },
])('a table with $include beside the cells', ({ include, expected }) => {
  const query: Record<string, string> = include === undefined ? {} : { includeObject: include }
  expect(present(request('Table', query), namespaces, many, nowMs)).toMatchObject({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: list.metadata,
    columnDefinitions: [{ name: 'Name', format: 'name' }, { name: 'Status' }, { name: 'Age' }],
    rows: [{ cells: ['shop', 'Active', '5m'], object: expected }],
  })
})

test('a single object is a table of one row, at its own version', () => {
  expect(present(request('Table'), namespaces, one, nowMs)).toMatchObject({
    metadata: { resourceVersion: '7' },
    rows: [{}],
  })
})

test('metadata alone, of one and of many', () => {
  expect(present(request('PartialObjectMetadata'), namespaces, one, nowMs)).toEqual(partial)
  expect(present(request('PartialObjectMetadataList'), namespaces, many, nowMs)).toMatchObject({
    kind: 'PartialObjectMetadataList',
    metadata: list.metadata,
    items: [partial],
  })
})

test.each([
  { name: 'a list as one', run: () => present(request('PartialObjectMetadata'), namespaces, many, nowMs), code: 406 },
  {
    name: 'one as a list',
    run: () => present(request('PartialObjectMetadataList'), namespaces, one, nowMs),
    code: 406,
  },
  { name: 'an unknown shape', run: () => present(request('Song'), namespaces, one, nowMs), code: 406 },
  {
    name: 'an unknown inclusion',
    run: () => present(request('Table', { includeObject: 'Some' }), namespaces, one, nowMs),
    code: 400,
  },
  {
    name: 'an unknown inclusion in a watch, before it begins',
    run: () => eventPresenter(request('Table', { includeObject: 'Some' }), namespaces, { nowMs: () => nowMs }),
    code: 400,
  },
])('refuses $name', ({ run, code }) => {
  expect(run).toThrow(expect.objectContaining({ code }))
})

test('events can be metadata too', () => {
  const map = eventPresenter(request('PartialObjectMetadata'), namespaces, { nowMs: () => nowMs })
  expect(map?.({ type: 'ADDED', object })).toEqual({ type: 'ADDED', object: partial })
})
