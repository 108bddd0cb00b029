import { expect, test } from 'vitest'
import { requestLines } from './drain-purposes.ts'

const request = (verb: string, resource: string, code = 200) => ({
  userAgent: 'lifeboat/1',
  verb,
  resource,
  code,
  atMs: 0,
})

test.each([
  {
    name: 'a write',
    requests: [request('create', 'evacuations')],
    what: 'create evacuations: asks for a pod to leave',
  },
  { name: 'a look', requests: [request('get', 'pods')], what: 'get pods: looks what is there' },
  { name: 'a watch', requests: [request('watch', 'pods')], what: 'watch pods: follows changes' },
  {
    name: 'a failure is a line of its own',
    requests: [request('patch', 'pods', 409)],
    what: 'patch pods (409): releases a pod, so that its replacement starts',
  },
  { name: 'one that nothing needs', requests: [request('create', 'leases')], what: 'create leases: unknown' },
])('$name', ({ requests, what }) => expect(requestLines(requests, 1)).toEqual([{ what, perPod: 1 }]))

test('the most frequent comes first, and what hardly happens is left out', () => {
  const many = Array.from({ length: 300 }, () => request('create', 'pods/eviction'))
  const lines = requestLines(
    [request('list', 'nodes'), ...many, request('patch', 'nodes'), request('patch', 'nodes')],
    300,
  )
  expect(lines.map(({ what }) => what.split(':')[0])).toEqual(['create pods/eviction', 'patch nodes'])
})
