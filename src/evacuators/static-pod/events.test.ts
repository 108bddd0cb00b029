import { expect, test } from 'vitest'
import { buildMailbox } from '../../api/maintenance/agent-mailbox.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { manifestSuperseded, newlySuperseded } from './events.ts'

const boxOf = (...superseded: string[]) =>
  stored<Lease>(
    buildMailbox('here', {
      node: 'one',
      pod: { name: 'a', uid: 'u' },
      bootID: 'b',
      staticPods: { folder: '/m', parked: [], superseded, problems: [] },
    }),
  )

test.each([
  { before: boxOf(), now: boxOf('a/b'), expected: ['a/b'] },
  { before: boxOf('a/b'), now: boxOf('a/b'), expected: [] },
  { before: boxOf('a/b'), now: boxOf('a/b', 'a/c'), expected: ['a/c'] },
  { before: boxOf('a/b'), now: boxOf(), expected: [] },
])('told once: $expected', ({ before, now, expected }) => {
  expect(newlySuperseded(before, now)).toEqual(expected)
})

test('is about the node, and says where the old one is', () => {
  const event = manifestSuperseded(stored<Node>({ metadata: { name: 'one', uid: 'n' } }), 'a/b', '/m')
  expect(event).toMatchObject({
    about: { kind: 'Node', metadata: { name: 'one', uid: 'n' } },
    reason: 'ManifestSuperseded',
  })
  expect(event.note).toContain('/m')
})
