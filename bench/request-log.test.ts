import { expect, test } from 'vitest'
import { countBy, parseRequests, type SeenRequest } from './request-log.ts'

const eventOf = (fields: Readonly<Record<string, unknown>>) =>
  JSON.stringify({
    auditID: '1',
    verb: 'get',
    userAgent: 'kubectl/v1',
    requestURI: '/api/v1/nodes/one',
    objectRef: { resource: 'nodes' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:01.500000Z',
    ...fields,
  })

const base: SeenRequest = {
  userAgent: 'kubectl/v1',
  verb: 'get',
  resource: 'nodes',
  code: 200,
  atMs: Date.parse('2026-01-01T00:00:01.5Z'),
}

test.each([
  { name: 'an empty log has no request', lines: [''], expected: [] },
  { name: 'a request is what it asked for and what it got', lines: [eventOf({})], expected: [base] },
  {
    name: 'a subresource is part of the name',
    lines: [
      eventOf({
        verb: 'create',
        objectRef: { resource: 'pods', subresource: 'eviction' },
        responseStatus: { code: 429 },
      }),
    ],
    expected: [{ ...base, verb: 'create', resource: 'pods/eviction', code: 429 }],
  },
  {
    name: 'what is no resource is named by its path',
    lines: [eventOf({ objectRef: undefined, requestURI: '/version?timeout=32s' })],
    expected: [{ ...base, resource: '/version' }],
  },
  {
    name: 'a watch counts once, whether it began, ended or both',
    lines: [
      eventOf({ verb: 'watch', stage: 'ResponseStarted' }),
      eventOf({ verb: 'watch', stage: 'ResponseComplete' }),
      eventOf({ verb: 'watch', stage: 'ResponseStarted', auditID: '2' }),
    ],
    expected: [
      { ...base, verb: 'watch' },
      { ...base, verb: 'watch' },
    ],
  },
])('$name', async ({ lines, expected }) => {
  expect(await parseRequests(lines)).toEqual(expected)
})

test('requests are counted by name, the most frequent first', () => {
  const list = { ...base, verb: 'list' }
  const requests = [base, list, list]
  expect([...countBy(requests, ({ verb }) => verb)]).toEqual([
    ['list', 2],
    ['get', 1],
  ])
})
