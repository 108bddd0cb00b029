import { expect, test } from 'vitest'
import type { DaemonSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { intendedNodeOf } from '../../api/maintenance/maintenance-hold.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { buildNextPod } from './build-next-pod.ts'
import { isPodOf } from './membership.ts'

const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['six'] }]
const daemonSetOf = (affinity?: object): DaemonSet => ({
  metadata: storedMeta({ namespace: 'shop', name: 'logs', uid: 'd' }),
  spec: {
    selector: { matchLabels: { app: 'logs' } },
    template: {
      metadata: { labels: { app: 'logs', team: 'a' }, annotations: { note: 'b' } },
      spec: {
        priorityClassName: 'system-node-critical',
        containers: [{ name: 'main', image: 'logs:1' }],
        ...(affinity === undefined ? {} : { affinity }),
      },
    },
  },
})

test('it is a pod of the DaemonSet for the node, with all that its template says', () => {
  const daemonSet = daemonSetOf()
  const pod = buildNextPod(daemonSet, 'six')
  expect([podTypeOf(pod), intendedNodeOf(pod), isPodOf(stored<Pod>(pod), daemonSet)]).toEqual([
    'DaemonSet',
    'six',
    true,
  ])
  expect(pod).toMatchObject({
    metadata: { namespace: 'shop', generateName: 'logs-', labels: { team: 'a' }, annotations: { note: 'b' } },
    spec: { priorityClassName: 'system-node-critical', containers: [{ image: 'logs:1' }] },
  })
  expect(pod.spec?.nodeName).toBeUndefined()
})

test('the one node takes the place of what the template requires of nodes, and all else stays', () => {
  const matchExpressions = [{ key: 'disk', operator: 'Exists' }]
  const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1, preference: {} }]
  const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [] }
  const pod = buildNextPod(
    daemonSetOf({
      podAntiAffinity,
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
      },
    }),
    'six',
  )
  expect(pod.spec?.affinity).toEqual({
    podAntiAffinity,
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
    },
  })
})
