import { expect, test } from 'vitest'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { terminatingForMaintenance, whyItStays } from './for-maintenance.ts'

const pod: Pod = {
  metadata: storedMeta({ namespace: 'shop', name: 'a', uid: 'u' }),
  spec: { nodeName: 'six', priority: 7, terminationGracePeriodSeconds: 60, containers: [] },
}
const ref = { namespace: 'shop', name: 'a', uid: 'u' }

test.each([
  {
    standing: { kind: 'notUnderMaintenance' } as const,
    type: 'Static' as const,
    expected: { kind: 'notUnderMaintenance', pod: ref, node: 'six', podType: 'Static' },
  },
  {
    standing: { kind: 'notUnderMaintenance' } as const,
    type: 'DaemonSet' as const,
    expected: { kind: 'notUnderMaintenance', pod: ref, node: 'six' },
  },
  {
    standing: { kind: 'beyondTargets' } as const,
    type: 'Static' as const,
    expected: { kind: 'beyondDrainTargets', pod: ref, node: 'six', podPriority: 7, podType: 'Static' },
  },
  {
    standing: { kind: 'unclear', problem: 'is not JSON' } as const,
    type: 'Static' as const,
    expected: {
      reason: 'MaintenanceStatusUnclear',
      message: `The annotation ${annotations.maintenanceStatus} of node six is not JSON`,
    },
  },
])('a $type pod, $standing.kind', ({ standing, type, expected }) => {
  expect(whyItStays(pod, standing, type)).toMatchObject({ kind: 'waiting', because: expected })
})

test.each([
  { reason: 'OS upgrade', expected: 'x is terminating the pod due to node maintenance (OS upgrade).' },
  { reason: undefined, expected: 'x is terminating the pod due to node maintenance.' },
])('$expected', ({ reason, expected }) => {
  const status = JSON.stringify({ drainTargets: [], ...(reason === undefined ? {} : { reason }) })
  const node = stored<Node>({ metadata: { name: 'six', annotations: { [annotations.maintenanceStatus]: status } } })
  expect(terminatingForMaintenance(pod, node, { name: 'x', sinceMs: 1_000 })).toEqual({
    kind: 'working',
    message: expected,
    expectedFinishMs: 61_000,
  })
})
