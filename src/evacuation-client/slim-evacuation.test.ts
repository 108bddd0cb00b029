import { expect, test } from 'vitest'
import { stored } from '../../test/build/stored.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { EvacuationSlimmer } from './slim-evacuation.ts'

const evacuation = stored<Evacuation>({
  metadata: {
    namespace: 'shop',
    name: 'u-web',
    uid: 'e',
    labels: { app: 'web' },
    annotations: { 'evacuation.coordination.k8s.io/node': 'node-1' },
    finalizers: ['evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'],
  },
  spec: {
    podRef: { name: 'web', uid: 'u' },
    progressDeadlineSeconds: 1_800,
    evacuators: [{ evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }],
  },
  status: {
    activeEvacuatorClass: 'deployment.apps.k8s.io',
    activeEvacuatorCompleted: false,
    evacuationCancellationPolicy: 'Allow',
    failedEvictionCounter: 0,
    message: 'waits',
    conditions: [],
  },
})

test('an Evacuation is kept whole, but for the labels of its pod', () => {
  const before = structuredClone(evacuation)
  const { labels: _, ...metadata } = evacuation.metadata
  expect(new EvacuationSlimmer().slim(evacuation)).toStrictEqual({ ...before, metadata })
  expect(evacuation).toStrictEqual(before)
})

test('the mark that it is finished is kept', () => {
  const finished = { 'evacuation.coordination.k8s.io/finished': 'true' }
  const metadata = { ...evacuation.metadata, labels: { app: 'web', ...finished } }
  expect(new EvacuationSlimmer().slim({ ...evacuation, metadata }).metadata.labels).toEqual(finished)
})
