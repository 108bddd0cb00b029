import { expect, test } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { NodesWaitedFor } from './nodes-waited-for.ts'

test('knows a node as long as somebody waits for it, and tells of its changes', async () => {
  const { parts, admin, clock, createNode } = agentGround()
  await createNode('one', false)
  using waitedFor = new NodesWaitedFor(parts)
  const changed: string[] = []
  using _subscription = waitedFor.subscribe((node) => void changed.push(node))
  const { signal } = new AbortController()
  const asked = waitedFor.get('me', 'one', signal)
  await clock.advance(10)
  expect((await asked)?.metadata.name).toBe('one')
  const label = (rack: string) =>
    admin.patch(nodes, { name: 'one' }, { type: 'merge', body: { metadata: { labels: { rack } } } })
  changed.length = 0
  await label('7')
  await clock.advance(10)
  expect(changed).toEqual(['one'])
  waitedFor.forget('me')
  await label('8')
  await clock.advance(10)
  expect(changed).toEqual(['one'])
})

test('who waits for another node no longer follows the first', async () => {
  const { parts, clock, createNode } = agentGround()
  await createNode('one', false)
  using waitedFor = new NodesWaitedFor(parts)
  const { signal } = new AbortController()
  const first = waitedFor.get('me', 'one', signal)
  await clock.advance(10)
  await first
  const second = waitedFor.get('me', 'two', signal)
  await clock.advance(10)
  expect(await second).toBeUndefined()
})
