import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../kubernetes/core.ts'
import { maintenanceStatusOf, parseMaintenanceStatus, renderMaintenanceStatus } from './maintenance-status.ts'
import { podTypes } from './pod-type.ts'

const target = fc.record(
  {
    podPriority: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    podType: fc.constantFrom(...podTypes),
    podSelector: fc.record({ matchLabels: fc.constantFrom({ app: 'cart' }, { tier: 'web', app: 'shop' }) }),
  },
  { requiredKeys: ['podPriority', 'podType'] },
)
const status = fc.record({
  drainTargets: fc.array(target, { maxLength: 5 }),
  drainMessage: fc.string({ maxLength: 100 }),
  podsPendingEvacuation: fc.nat(),
  podsEvacuating: fc.nat(),
})

test('what was rendered is parsed back, and rendered the same again', () => {
  fc.assert(
    fc.property(status, (written) => {
      const rendered = renderMaintenanceStatus(written)
      const parsed = parseMaintenanceStatus(rendered)
      expect(parsed).toEqual({ kind: 'parsed', status: written })
      expect(parsed.kind === 'parsed' && renderMaintenanceStatus(parsed.status)).toBe(rendered)
    }),
  )
})

describe('parseMaintenanceStatus', () => {
  test.each([
    { name: 'text that is not JSON', annotation: 'Drained', says: 'not JSON' },
    { name: 'no targets', annotation: '{}', says: 'drainTargets is missing' },
    {
      name: 'a target of an unknown type',
      annotation: '{"drainTargets":[{"podPriority":1,"podType":"Job"}]}',
      says: 'drainTargets[0].podType is "Job": must be one of Default, DaemonSet, Static',
    },
    { name: 'a count that is none', annotation: '{"drainTargets":[],"podsEvacuating":"2"}', says: 'podsEvacuating' },
  ])('tells what is wrong with $name', ({ annotation, says }) => {
    expect(parseMaintenanceStatus(annotation)).toEqual({
      kind: 'malformed',
      problem: expect.stringContaining(says) as string,
    })
  })

  test('fills in what an older version left out, and drops what it does not know', () => {
    expect(parseMaintenanceStatus('{"drainTargets":[{"podPriority":1}],"later":true}')).toEqual({
      kind: 'parsed',
      status: {
        drainTargets: [{ podPriority: 1, podType: 'Default' }],
        drainMessage: '',
        podsPendingEvacuation: 0,
        podsEvacuating: 0,
      },
    })
  })
})

test('a node without the annotation is not under maintenance', () => {
  expect(maintenanceStatusOf(stored<Node>({ metadata: { name: 'one' } }))).toEqual({ kind: 'absent' })
  const annotated = { 'nodemaintenance.k8s.io/maintenance-status': '{"drainTargets":[]}' }
  expect(maintenanceStatusOf(stored<Node>({ metadata: { name: 'one', annotations: annotated } })).kind).toBe('parsed')
})
