import { describe, expect, test } from 'vitest'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { buildHoldBegin, holdBeginOf, mayLeaveAgainAtMs, renderHoldBegin } from './hold-begin.ts'
import type { Node, Pod } from '../kubernetes/core.ts'

const annotated = (text: string) =>
  stored<Node>({ metadata: { name: 'six', annotations: { 'nodemaintenance.k8s.io/daemon-set-hold': text } } })
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const begin = { since: '2026-01-01T12:00:00Z', pods: ['0a1b2c3d'] }
const node = annotated(renderHoldBegin(begin))
const podOf = (creationTimestamp: string, uid: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: storedMeta({
    name: 'logs-1',
    namespace: 'shop',
    uid,
    creationTimestamp,
    ownerReferences: [owner],
  }),
  spec: { containers: [], ...spec },
})
const [before, later] = ['0a1b2c3d-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000'] as const
const gate = { schedulingGates: [{ name: 'nodemaintenance.k8s.io/maintenance' }] }

describe('when a pod may leave that came back', () => {
  test.each([
    { name: 'one that was there before did not', uid: before, created: '2026-01-01T07:00:00Z', expected: undefined },
    {
      name: 'the first, after two minutes',
      uid: later,
      created: '2026-01-01T12:00:01Z',
      expected: '2026-01-01T12:02:01Z',
    },
    {
      name: 'the next, as much later again',
      uid: later,
      created: '2026-01-01T12:04:00Z',
      expected: '2026-01-01T12:08:00Z',
    },
    {
      name: 'never later than ten minutes',
      uid: later,
      created: '2026-01-02T12:00:00Z',
      expected: '2026-01-02T12:10:00Z',
    },
    {
      name: 'one that is older by the clock of the API server came back too',
      uid: later,
      created: '2026-01-01T11:59:30Z',
      expected: '2026-01-01T12:01:30Z',
    },
  ])('$name', ({ uid, created, expected }) => {
    const atMs = mayLeaveAgainAtMs(podOf(created, uid), node)
    expect(atMs === undefined ? undefined : new Date(atMs).toISOString().replace('.000', '')).toBe(expected)
  })

  test('one that is held did not come back', () => {
    expect(mayLeaveAgainAtMs(podOf('2026-01-01T12:00:01Z', later, gate), node)).toBeUndefined()
  })

  test.each(['', '7', 'null', '{}', '{"since":"soon","pods":[]}', '{"since":"2026-01-01T12:00:00Z","pods":3}', '{'])(
    'a node that says %s says nothing',
    (text) => {
      expect(holdBeginOf(annotated(text))).toBeUndefined()
      expect(mayLeaveAgainAtMs(podOf('2026-01-01T12:00:01Z', later), annotated(text))).toBeUndefined()
    },
  )

  test('nor does one without the annotation, or none at all', () => {
    expect(
      mayLeaveAgainAtMs(podOf('2026-01-01T12:00:01Z', later), stored<Node>({ metadata: { name: 'six' } })),
    ).toBeUndefined()
    expect(mayLeaveAgainAtMs(podOf('2026-01-01T12:00:01Z', later), undefined)).toBeUndefined()
  })
})

describe('what a node notes', () => {
  test('is the DaemonSet pods on it, in an order that does not change, and when', () => {
    const bare = stored<Pod>({
      metadata: { name: 'web', namespace: 'shop', uid: 'bbbbbbbb-1' },
      spec: { containers: [] },
    })
    const all = [podOf('2026-01-01T07:00:00Z', later), bare, podOf('2026-01-01T08:00:00Z', before)]
    const built = buildHoldBegin(all, Date.parse('2026-01-01T12:00:00Z'))
    expect(built).toEqual({ since: '2026-01-01T12:00:00Z', pods: ['0a1b2c3d', 'ffffffff'] })
    expect(holdBeginOf(annotated(renderHoldBegin(built)))).toEqual(built)
  })

  test('has a limit', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => podOf('2026-01-01T07:00:00Z', String(10_000_000 + at)))
    expect(buildHoldBegin(many, 0).pods).toHaveLength(256)
  })
})
