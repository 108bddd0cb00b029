import { expect, test } from 'vitest'
import { buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import { evacuations, newEvacuationStatus, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { turnsAmong } from './turns-among.ts'

const evacuatorClass = 'mover.example.com'
const podOf = (name: string) => stored<Pod>({ metadata: { name, namespace: 'shop', uid: name } })

function evacuationOf(name: string, status: object, metadata: Partial<Evacuation['metadata']> = {}): Evacuation {
  return {
    metadata: storedMeta({ name: `${name}-${name}`, namespace: 'shop', ...metadata }),
    spec: { podRef: { name, uid: name }, progressDeadlineSeconds: 600 },
    status: { ...newEvacuationStatus, activeEvacuatorClass: evacuatorClass, ...status },
  }
}

test('a pod has its turn while the class is active for it', () => {
  const blocked = { type: 'Blocked', status: 'True', reason: 'DisruptionBudget' }
  const world = buildWorkloadWorld('shop', [
    [
      evacuations,
      evacuationOf('active', {}),
      evacuationOf('blocked', { conditions: [blocked] }),
      evacuationOf('mended', { conditions: [{ ...blocked, status: 'False' }] }),
      evacuationOf('completed', { activeEvacuatorCompleted: true }),
      evacuationOf('cancelled', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      evacuationOf('another', { activeEvacuatorClass: 'other.example.com' }),
    ],
  ])
  const names = ['active', 'blocked', 'mended', 'completed', 'cancelled', 'another', 'unasked']
  expect(turnsAmong(names.map(podOf), evacuatorClass, world)).toEqual([
    { uid: 'active', name: 'active-active', isBlocked: false },
    { uid: 'blocked', name: 'blocked-blocked', isBlocked: true },
    { uid: 'mended', name: 'mended-mended', isBlocked: false },
  ])
})
