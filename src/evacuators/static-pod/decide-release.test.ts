import { expect, test } from 'vitest'
import { buildMailbox, renderWanted } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { decideRelease, isBusy } from './decide-release.ts'

const since = '2026-01-01T00:00:00Z'
const nowMs = Date.parse(since)
const boxOf = (wanted: readonly string[] | undefined, parked: readonly string[]): Lease => {
  const staticPods = { folder: '/m', parked: [...parked], superseded: [], problems: [] }
  const report = { node: 'one', pod: { name: 'a', uid: 'u' }, bootID: 'b', staticPods }
  const box = stored<Lease>(buildMailbox('here', report))
  if (wanted === undefined) return box
  const text = renderWanted({ park: wanted.map((pod) => ({ pod, since })) })
  return {
    ...box,
    metadata: { ...box.metadata, annotations: { ...box.metadata.annotations, [annotations.agentWanted]: text } },
  }
}
const nodeOf = (status?: string): Node => ({
  metadata: storedMeta({
    name: 'one',
    annotations: status === undefined ? {} : { [annotations.maintenanceStatus]: status },
  }),
})
const under = nodeOf('{"drainTargets":[]}')
const nothing = { kind: 'nothing' }

test.each([
  { name: 'under maintenance they stay parked', box: boxOf(['a/b'], ['a/b']), node: under, expected: nothing },
  {
    name: 'after it they may come back',
    box: boxOf(['a/b'], ['a/b']),
    node: nodeOf(),
    expected: { kind: 'release', pods: ['a/b'] },
  },
  {
    name: 'also those that were never parked',
    box: boxOf(['a/b'], []),
    node: nodeOf(),
    expected: { kind: 'release', pods: ['a/b'] },
  },
  {
    name: 'where the node is gone too',
    box: boxOf(['a/b'], ['a/b']),
    node: undefined,
    expected: { kind: 'release', pods: ['a/b'] },
  },
  { name: 'where nobody can tell nothing changes', box: boxOf(['a/b'], ['a/b']), node: nodeOf('{'), expected: nothing },
  { name: 'nothing wanted, nothing to do', box: boxOf([], ['a/b']), node: nodeOf(), expected: nothing },
  { name: 'no word and nothing parked', box: boxOf(undefined, []), node: nodeOf(), expected: nothing },
  {
    name: 'no word under maintenance: what is parked is wanted so',
    box: boxOf(undefined, ['a/b']),
    node: under,
    expected: { kind: 'want', wanted: { park: [{ pod: 'a/b', since }] } },
  },
  {
    name: 'no word after it: what is parked is not wanted so',
    box: boxOf(undefined, ['a/b']),
    node: nodeOf(),
    expected: { kind: 'want', wanted: { park: [] } },
  },
])('$name', ({ box, node, expected }) => {
  expect(decideRelease(box, node, nowMs)).toEqual(expected)
})

test.each([
  { name: 'something is wanted', box: boxOf(['a/b'], []), expected: true },
  { name: 'nothing is wanted of what is parked', box: boxOf([], ['a/b']), expected: false },
  { name: 'nobody has said what is wanted of what is parked', box: boxOf(undefined, ['a/b']), expected: true },
  { name: 'nothing is parked', box: boxOf(undefined, []), expected: false },
])('where $name the node is followed: $expected', ({ box, expected }) => {
  expect(isBusy(box)).toBe(expected)
})
