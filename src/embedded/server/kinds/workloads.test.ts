import { describe, expect, test } from 'vitest'
import { daemonSets, deployments, replicaSets, statefulSets } from './workloads.ts'

const object = (spec: object = {}) => ({
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } },
    ...spec,
  },
})

describe('defaults', () => {
  test.each([
    {
      name: 'a Deployment',
      filled: deployments.fillDefaults?.(object()),
      expected: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      },
    },
    {
      name: 'half a strategy',
      filled: deployments.fillDefaults?.(object({ strategy: { rollingUpdate: { maxSurge: 0 } } })),
      expected: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } } },
    },
    {
      name: 'Recreate',
      filled: deployments.fillDefaults?.(object({ strategy: { type: 'Recreate' } })),
      expected: { strategy: { type: 'Recreate' } },
    },
    { name: 'zero replicas', filled: deployments.fillDefaults?.(object({ replicas: 0 })), expected: { replicas: 0 } },
    { name: 'a ReplicaSet', filled: replicaSets.fillDefaults?.(object()), expected: { replicas: 1 } },
    {
      name: 'a StatefulSet',
      filled: statefulSets.fillDefaults?.(object()),
      expected: { podManagementPolicy: 'OrderedReady', updateStrategy: { rollingUpdate: { partition: 0 } } },
    },
    {
      name: 'OnDelete',
      filled: statefulSets.fillDefaults?.(object({ updateStrategy: { type: 'OnDelete' } })),
      expected: { updateStrategy: { type: 'OnDelete' } },
    },
    {
      name: 'a DaemonSet',
      filled: daemonSets.fillDefaults?.(object()),
      expected: { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } },
    },
  ])('of $name', ({ filled, expected }) => {
    expect(filled).toMatchObject({ spec: expected })
  })
})

test.each([
  {
    name: 'a selector that does not match',
    now: object({ selector: { matchLabels: { app: 'x' } } }),
    faults: ['spec.template.metadata.labels'],
  },
  {
    name: 'no selector',
    now: object({ selector: undefined }),
    faults: ['spec.selector', 'spec.template.metadata.labels'],
  },
  { name: 'a negative number', now: object({ replicas: -1 }), faults: ['spec.replicas'] },
  {
    name: 'a changed selector',
    now: object(),
    before: object({ selector: { matchLabels: { other: 'x' } } }),
    faults: ['spec.selector'],
  },
  { name: 'nothing', now: object(), before: object(), faults: [] },
])('$name is at fault: $faults', ({ now, before, faults }) => {
  expect(deployments.validate?.(now as never, before as never).map(({ field }) => field)).toEqual(faults)
})
