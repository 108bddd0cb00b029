import { describe, expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { slimPod } from './slim-pod.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'rs', controller: true }

function pod(name: string, change: Partial<Pod> = {}): Pod {
  return {
    metadata: storedMeta({
      name,
      namespace: 'shop',
      labels: { app: 'web' },
      ownerReferences: [owner],
      annotations: {
        'evacuation.coordination.k8s.io/priority_x': '5',
        'kubernetes.io/evict-policy': 'ControllerTakeOver',
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        'mesh.example/status': 'x'.repeat(1_000),
      },
    }),
    spec: {
      nodeName: 'node-1',
      priority: 7,
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'main', image: 'web:1' }],
      schedulingGates: [{ name: 'held' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }, { name: 'scratch' }],
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node fits' },
      ],
    },
    ...change,
  }
}

describe('slimPod', () => {
  test('keeps what Lifeboat reads of a pod, and nothing else', () => {
    const { metadata, spec, status } = slimPod(pod('a'))
    expect(Object.keys(metadata.annotations ?? {})).toEqual([
      'evacuation.coordination.k8s.io/priority_x',
      'kubernetes.io/evict-policy',
    ])
    expect(metadata).toMatchObject({ name: 'a', namespace: 'shop', labels: { app: 'web' }, ownerReferences: [owner] })
    expect(spec).toEqual({
      nodeName: 'node-1',
      priority: 7,
      terminationGracePeriodSeconds: 30,
      containers: [],
      schedulingGates: [{ name: 'held' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }],
    })
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'PodScheduled'])
  })

  test('keeps why a container waits', () => {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' }
    const statuses = [{ name: 'main', ready: false, restartCount: 3, state: { waiting }, imageID: 'sha256:1' }]
    const { status } = slimPod(pod('a', { status: { containerStatuses: statuses } }))
    expect(status).toEqual({
      containerStatuses: [{ name: 'main', ready: false, restartCount: 3, state: { waiting } }],
    })
  })

  test('leaves the pod that was handed in as it is', () => {
    const whole = pod('a')
    const before = structuredClone(whole)
    slimPod(whole)
    expect(whole).toEqual(before)
  })
})
