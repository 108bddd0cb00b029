import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { buildReviewRequest } from '../../../test/build/review-request.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { selectionWarning } from './selection-warnings.ts'
import { validateNodeMaintenanceRequest } from './validate-node-maintenance-request.ts'

const { signal } = new AbortController()
const nodes = ['one', 'two', 'three'].map((name) => stored<Node>({ metadata: { name, labels: { pool: name } } }))

const named = (...names: string[]) => ({
  nodeSelectorTerms: names.map((name) => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  })),
})
const maintenance = (nodeSelector: unknown, spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'upgrade', ...metadata },
  spec: { nodeSelector, stage: 'Idle', ...spec },
})

type Sent = Parameters<typeof buildReviewRequest>[0]

async function reviewing(sent: Sent, refuses: (name: string) => boolean = () => false) {
  const asked: string[][] = []
  const answer = await validateNodeMaintenanceRequest(
    buildReviewRequest(sent),
    {
      clock: new VirtualClock(),
      listNodes: async () => nodes,
      mayDeleteAll: async () => false,
      firstRefused: async (_user, names) => {
        asked.push([...names])
        return names.find(refuses)
      },
    },
    signal,
  )
  return { answer, asked: asked.flat() }
}

describe('the caller must be allowed to delete', () => {
  const both = maintenance(named('two', 'one'))
  const first = maintenance(named('one'))
  const second = maintenance(named('two'))
  test.each<{ name: string; sent: Sent; expected: string[] }>([
    { name: 'what a new one selects', sent: { object: both }, expected: ['one', 'two'] },
    {
      name: 'what a changed one selected and is to select',
      sent: { operation: 'UPDATE', oldObject: first, object: second },
      expected: ['one', 'two'],
    },
    {
      name: 'what one selects whose labels alone change',
      sent: { operation: 'UPDATE', oldObject: first, object: maintenance(named('one'), {}, { labels: { a: 'b' } }) },
      expected: ['one'],
    },
    { name: 'what a deleted one selected', sent: { operation: 'DELETE', oldObject: both }, expected: ['one', 'two'] },
    {
      name: 'what one selects whose status changes',
      sent: { operation: 'UPDATE', subResource: 'status', oldObject: first, object: first },
      expected: ['one'],
    },
    {
      name: 'every node if the selector cannot be read',
      sent: { operation: 'DELETE', oldObject: 7 },
      expected: ['one', 'three', 'two'],
    },
  ])('$name', async ({ sent, expected }) => {
    expect((await reviewing(sent)).asked).toEqual(expected)
    const { answer } = await reviewing(sent, (name) => name === expected.at(-1))
    expect(answer).toMatchObject({ allowed: false, code: 403, reason: 'Forbidden' })
  })

  test('or is told the field, the node and who may not', async () => {
    const { answer } = await reviewing({ object: both }, (name) => name === 'two')
    const selector =
      '{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["two"]}]},{"m…'
    expect(answer).toMatchObject({
      message: `spec.nodeSelector is ${selector}: must select only nodes that user "joe" may delete, and node two is none of them`,
    })
  })

  test('of a change, the selector that selects that node', async () => {
    const sent: Sent = { operation: 'UPDATE', oldObject: maintenance(named('one')), object: maintenance(named('two')) }
    const messageFor = async (node: string) => {
      const { answer } = await reviewing(sent, (name) => name === node)
      return answer.allowed ? '' : answer.message
    }
    expect(await messageFor('one')).toContain('"values":["one"]')
    expect(await messageFor('two')).toContain('"values":["two"]')
  })
})

describe('warnings', () => {
  const everything = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }] }
  const { allNodes, noNode, uncordons } = selectionWarning
  test.each<{ name: string; sent: Sent; expected: readonly string[] | undefined }>([
    { name: 'a new one of one node', sent: { object: maintenance(named('one')) }, expected: [] },
    { name: 'a new one of all nodes', sent: { object: maintenance(everything) }, expected: [allNodes] },
    { name: 'a new one of no node', sent: { object: maintenance(named('nine')) }, expected: [noNode] },
    {
      name: 'one that begins to select all',
      sent: { operation: 'UPDATE', oldObject: maintenance(named('one')), object: maintenance(everything) },
      expected: [allNodes],
    },
    {
      name: 'one of all nodes that goes on to drain them',
      sent: {
        operation: 'UPDATE',
        oldObject: maintenance(everything),
        object: maintenance(everything, { stage: 'Drain' }),
      },
      expected: [allNodes],
    },
    {
      name: 'one of all nodes that completes',
      sent: {
        operation: 'UPDATE',
        oldObject: maintenance(everything, { stage: 'Drain' }),
        object: maintenance(everything, { stage: 'Complete' }),
      },
      expected: [],
    },
    {
      name: 'one that completes before it has begun',
      sent: {
        operation: 'UPDATE',
        oldObject: maintenance(named('one'), { stage: 'Idle' }),
        object: maintenance(named('one'), { stage: 'Complete' }),
      },
      expected: [uncordons],
    },
    {
      name: 'a new one that is complete at once',
      sent: { object: maintenance(named('one'), { stage: 'Complete' }) },
      expected: [uncordons],
    },
    {
      name: 'one of all nodes that gets another reason',
      sent: {
        operation: 'UPDATE',
        oldObject: maintenance(everything),
        object: maintenance(everything, { reason: 'OS' }),
      },
      expected: [],
    },
    {
      name: 'one of all nodes that is deleted',
      sent: { operation: 'DELETE', oldObject: maintenance(everything) },
      expected: undefined,
    },
    {
      name: 'the status of one of all nodes',
      sent: {
        operation: 'UPDATE',
        subResource: 'status',
        oldObject: maintenance(named('one')),
        object: maintenance(everything),
      },
      expected: undefined,
    },
  ])('$name: $expected', async ({ sent, expected }) => {
    const { answer } = await reviewing(sent)
    expect(answer).toEqual(expected === undefined ? { allowed: true } : { allowed: true, warnings: expected })
  })
})

describe('a label key that no pod can have, for which the schema has no words,', () => {
  const drainPlan = [{ podPriority: 1, podType: 'Default', podSelector: { matchLabels: { 'no key': 'x' } } }]
  const bad = maintenance(named('one'), { drainPlan })
  test('is refused', async () => {
    const { answer } = await reviewing({ object: bad })
    expect(answer).toMatchObject({
      allowed: false,
      code: 422,
      message: expect.stringContaining('spec.drainPlan[0].podSelector.matchLabels is "no key": must be ') as string,
    })
  })

  test('is not held against a change of something else', async () => {
    const object = maintenance(named('one'), { drainPlan, stage: 'Complete' })
    expect((await reviewing({ operation: 'UPDATE', oldObject: bad, object })).answer).toMatchObject({ allowed: true })
  })
})

test('a status that we would not write is no reason to refuse', async () => {
  const object = { ...maintenance(named('one')), status: { drainStatus: 7 } }
  expect((await reviewing({ object })).answer).toMatchObject({ allowed: true })
})

describe('for a user who may delete all nodes', () => {
  const everything = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }] }
  const all = maintenance(everything)

  /** How the nodes are listed: `never` hangs until it is told to end. */
  async function reviewingAsAdmin(sent: Sent, list: 'soon' | 'never' | 'failing' = 'soon') {
    const clock = new VirtualClock()
    const lists: AbortSignal[] = []
    const stop = new AbortController()
    const answer = validateNodeMaintenanceRequest(
      buildReviewRequest(sent),
      {
        clock,
        listNodes: async (listing) => {
          lists.push(listing)
          if (list === 'failing') throw new Error('the API server is away')
          if (list === 'never') await once(listing, 'abort').then(() => listing.throwIfAborted())
          return nodes
        },
        mayDeleteAll: async () => true,
        firstRefused: () => Promise.reject(new Error('asked about single nodes')),
      },
      stop.signal,
    )
    return { answer, lists, clock, stop }
  }

  test.each<{ name: string; sent: Sent; lists: number }>([
    { name: 'a new one', sent: { object: all }, lists: 1 },
    {
      name: 'one that goes on to drain',
      sent: { operation: 'UPDATE', oldObject: all, object: maintenance(everything, { stage: 'Drain' }) },
      lists: 1,
    },
    { name: 'another reason', sent: { operation: 'UPDATE', oldObject: all, object: all }, lists: 0 },
    {
      name: 'a status',
      sent: { operation: 'UPDATE', subResource: 'status', oldObject: all, object: all },
      lists: 0,
    },
    { name: 'a deletion', sent: { operation: 'DELETE', oldObject: all }, lists: 0 },
  ])('the nodes are listed where there may be a warning: $name', async ({ sent, lists }) => {
    const review = await reviewingAsAdmin(sent)
    expect(await review.answer).toMatchObject({ allowed: true })
    expect(review.lists).toHaveLength(lists)
  })

  test('the warning is left out if the nodes are not there in time', async () => {
    const { answer, lists, clock } = await reviewingAsAdmin({ object: all }, 'never')
    await clock.advance(2_999)
    expect(lists.map(({ aborted }) => aborted)).toEqual([false])
    await clock.advance(1)
    expect(await answer).toEqual({ allowed: true, warnings: [] })
    expect(lists.map(({ aborted }) => aborted)).toEqual([true])
  })

  test('it is left out too if they cannot be listed', async () => {
    const { answer } = await reviewingAsAdmin({ object: all }, 'failing')
    expect(await answer).toEqual({ allowed: true, warnings: [] })
  })

  test('the end of the review ends the list, without an answer', async () => {
    const { answer, stop } = await reviewingAsAdmin({ object: all }, 'never')
    stop.abort(new Error('the client has gone'))
    await expect(answer).rejects.toThrow('the client has gone')
  })
})

test('for anybody else there is no answer without the nodes, however long that takes', async () => {
  const clock = new VirtualClock()
  const stop = new AbortController()
  let isAnswered = false
  const answer = validateNodeMaintenanceRequest(
    buildReviewRequest({ object: maintenance(named('one')) }),
    {
      clock,
      listNodes: async (listing) => {
        await once(listing, 'abort')
        throw listing.reason as Error
      },
      mayDeleteAll: async () => false,
      firstRefused: async () => undefined,
    },
    stop.signal,
  ).finally(() => {
    isAnswered = true
  })
  await clock.advance(60_000)
  expect(isAnswered).toBe(false)
  stop.abort(new Error('no answer within 10000 ms'))
  await expect(answer).rejects.toThrow('no answer within 10000 ms')
})
