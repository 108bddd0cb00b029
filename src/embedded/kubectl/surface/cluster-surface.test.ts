import { expect, test } from 'vitest'
import { Definitions } from '../../server/definitions.ts'
import { namespaces } from '../../server/kinds/cluster-kinds.ts'
import { pods } from '../../server/kinds/pods.ts'
import { deployments } from '../../server/kinds/workloads.ts'
import type { ApiRequest, WatchSink } from '../../server/request.ts'
import { Store } from '../../server/store.ts'
import { aggregatedMediaType } from './aggregated-discovery.ts'
import { ClusterSurface } from './cluster-surface.ts'

const clock = { nowMs: () => Date.UTC(2026, 0, 1, 0, 5) }
const surface = new ClusterSurface({
  definitions: new Definitions([pods, namespaces, deployments]),
  store: new Store(),
  clock,
})
const request = (path: string, accept?: string): ApiRequest => ({
  method: 'GET',
  path,
  query: {},
  headers: accept === undefined ? {} : { accept },
  body: undefined,
  user: { name: 'joe', groups: [] },
  signal: undefined,
})
const bodyOf = (path: string, accept?: string) => {
  const answer = surface.answer(request(path, accept))
  return answer?.kind === 'response' ? answer.body : undefined
}

test.each([
  { path: '/version', expected: { major: '1', minor: '37' } },
  { path: '/api', expected: { kind: 'APIVersions', versions: ['v1'] } },
  { path: '/apis', expected: { kind: 'APIGroupList', groups: [{ name: 'apps' }] } },
  { path: '/apis/apps', expected: { kind: 'APIGroup', name: 'apps' } },
  { path: '/apis/apps/v1', expected: { kind: 'APIResourceList', groupVersion: 'apps/v1' } },
  { path: '/api/v1', expected: { kind: 'APIResourceList', groupVersion: 'v1' } },
  { path: '/openapi/v3', expected: { paths: { 'api/v1': {}, 'apis/apps/v1': {} } } },
  { path: '/openapi/v3/apis/apps/v1', expected: { openapi: '3.0.0' } },
  { path: '/openapi/v3/api/v1', expected: { openapi: '3.0.0' } },
])('$path', ({ path, expected }) => {
  expect(bodyOf(path)).toMatchObject(expected)
})

test.each(['/healthz', '/livez', '/readyz', '/readyz/ping'])('%s is well', (path) => {
  expect(bodyOf(path)).toBe('ok')
})

test.each([
  '/',
  '/foo',
  '/apis/foo',
  '/apis/apps/v9',
  '/api/v9',
  '/openapi/v2',
  '/openapi/v3/apis/foo/v1',
  '/version/x',
])('%s is not there', (path) => {
  expect(surface.answer(request(path))).toBeUndefined()
})

test('nothing here can be written', () => {
  expect(() => surface.answer({ ...request('/version'), method: 'POST' })).toThrow('does not allow this method')
})

test.each([
  { path: '/api', group: undefined },
  { path: '/apis', group: 'apps' },
])('$path in the newer form says so in its type, which clients look at', ({ path, group }) => {
  const answer = surface.answer(request(path, `${aggregatedMediaType},application/json`))
  expect(answer).toMatchObject({
    headers: { 'content-type': aggregatedMediaType },
    body: { kind: 'APIGroupDiscoveryList', items: [{ metadata: group === undefined ? {} : { name: group } }] },
  })
})

test('a watch as a table shows the headers once, and errors as they are', () => {
  const events: unknown[] = []
  const tableRequest = request('/api/v1/namespaces', 'application/json;as=Table;v=v1;g=meta.k8s.io')
  const object = (name: string) => ({ metadata: { name, resourceVersion: '5' }, status: { phase: 'Active' } })
  const open = surface.presentWatch(tableRequest, namespaces, (sink: WatchSink) => {
    for (const name of ['a', 'b']) sink.event({ type: 'ADDED', object: object(name) })
    sink.event({ type: 'ERROR', object: { kind: 'Status' } })
    return { [Symbol.dispose]: () => {} }
  })
  using _watch = open({ event: (event) => events.push(event), close: () => {} })
  expect(events).toMatchObject([
    { type: 'ADDED', object: { kind: 'Table', columnDefinitions: [{ name: 'Name' }, {}, {}], rows: [{}] } },
    {
      type: 'ADDED',
      object: {
        columnDefinitions: null,
        rows: [{ cells: ['b', 'Active', '<unknown>'] }],
        metadata: { resourceVersion: '5' },
      },
    },
    { type: 'ERROR', object: { kind: 'Status' } },
  ])
})

test('a watch of plain objects is left alone', () => {
  const open = () => ({ [Symbol.dispose]: () => {} })
  expect(surface.presentWatch(request('/api/v1/pods'), pods, open)).toBe(open)
})
