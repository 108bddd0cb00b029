import { expect, test } from 'vitest'
import type { Method, Transport } from '../../kube/client/transport.ts'
import { countingEvictions, newTally } from './eviction-tally.ts'

const pod = '/api/v1/namespaces/shop/pods/web-0'

test.each<{ name: string; method: Method; path: string; status: number; expected: object }>([
  { name: 'an eviction', method: 'POST', path: `${pod}/eviction`, status: 201, expected: { asked: 1, refused: 0 } },
  {
    name: 'one that a budget refuses',
    method: 'POST',
    path: `${pod}/eviction`,
    status: 429,
    expected: { asked: 1, refused: 1 },
  },
  {
    name: 'one that two budgets refuse',
    method: 'POST',
    path: `${pod}/eviction`,
    status: 500,
    expected: { asked: 1, refused: 1 },
  },
  {
    name: 'one of a pod that is gone',
    method: 'POST',
    path: `${pod}/eviction`,
    status: 404,
    expected: { asked: 1, refused: 0 },
  },
  { name: 'a deletion', method: 'DELETE', path: pod, status: 200, expected: { asked: 0, deleted: ['web-0'] } },
  { name: 'one that did not happen', method: 'DELETE', path: pod, status: 409, expected: { deleted: [] } },
  {
    name: 'a deletion of something else',
    method: 'DELETE',
    path: '/api/v1/nodes/six',
    status: 200,
    expected: { deleted: [] },
  },
  { name: 'a look', method: 'GET', path: pod, status: 200, expected: { asked: 0, refused: 0, deleted: [] } },
])('$name', async ({ method, path, status, expected }) => {
  const tally = newTally()
  const transport: Transport = {
    request: async () => ({ status, headers: {}, body: {} }),
    watch: async () => ({ kind: 'refused', status, headers: {}, body: {} }),
    close: async () => {},
  }
  const counting = countingEvictions(transport, tally)
  expect(await counting.request({ method, path })).toMatchObject({ status })
  expect(tally).toMatchObject(expected)
  expect(await counting.watch({ method: 'GET', path })).toMatchObject({ kind: 'refused' })
  await counting.close()
})
