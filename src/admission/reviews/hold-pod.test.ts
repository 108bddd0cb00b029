import { describe, expect, test } from 'vitest'
import { buildReviewRequest } from '../../../test/build/review-request.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { KubeError } from '../../kube/client/errors.ts'
import { stored } from '../../../test/build/stored.ts'
import { holdPod } from './hold-pod.ts'

const { signal } = new AbortController()
const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const gate = { name: 'nodemaintenance.k8s.io/maintenance' }
const label = { op: 'add', path: '/metadata/labels/nodemaintenance.k8s.io~1held', value: 'true' }
const newGates = { op: 'add', path: '/spec/schedulingGates', value: [gate] }

const underMaintenance = (podPriority = 5_000) =>
  annotated(JSON.stringify({ drainTargets: [{ podPriority, podType: 'DaemonSet' }] }))

function daemonPod(extra: { metadata?: object; spec?: object; node?: string } = {}): object {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [extra.node ?? 'six'] }]
  const required = { nodeSelectorTerms: [{ matchFields }] }
  return {
    metadata: { generateName: 'logs-', labels: { app: 'logs' }, ownerReferences: [daemonSet], ...extra.metadata },
    spec: {
      priority: 0,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
      ...extra.spec,
    },
  }
}

async function review(object: object, node: Node | undefined) {
  const asked: string[] = []
  const lookups = {
    node: async (name: string) => {
      asked.push(name)
      return node
    },
  }
  return { answer: await holdPod(buildReviewRequest({ object }), { lookups }, signal), asked }
}

describe('a new pod gets the gate', () => {
  test.each([
    { name: 'within the targets of its node', object: daemonPod(), patch: [label, newGates] },
    {
      name: 'whatever it tolerates',
      object: daemonPod({ spec: { tolerations: [{ operator: 'Exists' }] } }),
      patch: [label, newGates],
    },
    {
      name: 'beside the gates of others',
      object: daemonPod({ spec: { schedulingGates: [{ name: 'example.com/quota' }] } }),
      patch: [label, { op: 'add', path: '/spec/schedulingGates/-', value: gate }],
    },
    {
      name: 'and the label alone where it has the gate from its template',
      object: daemonPod({ spec: { schedulingGates: [gate] } }),
      patch: [label],
    },
    {
      name: 'and labels if it has none',
      object: daemonPod({ metadata: { labels: undefined } }),
      patch: [{ op: 'add', path: '/metadata/labels', value: { 'nodemaintenance.k8s.io/held': 'true' } }, newGates],
    },
  ])('$name', async ({ object, patch }) => {
    expect(await review(object, underMaintenance())).toEqual({ answer: { allowed: true, patch }, asked: ['six'] })
  })
})

describe('a new pod is let through', () => {
  test.each<{ name: string; object?: object; node: Node | undefined }>([
    { name: 'its node is not under maintenance', node: stored<Node>({ metadata: { name: 'six' } }) },
    { name: 'its node is not there', node: undefined },
    { name: 'it is beyond the targets', object: daemonPod({ spec: { priority: 5_001 } }), node: underMaintenance() },
    { name: 'the annotation cannot be read', node: annotated('{"drainTargets":7}') },
  ])('$name', async ({ object = daemonPod(), node }) => {
    expect(await review(object, node)).toEqual({ answer: { allowed: true }, asked: ['six'] })
  })

  test.each([
    { name: 'it is not of a DaemonSet', object: daemonPod({ metadata: { ownerReferences: [] } }) },
    { name: 'it has its node already', object: daemonPod({ spec: { nodeName: 'six' } }) },
    { name: 'it may go anywhere', object: daemonPod({ spec: { affinity: undefined } }) },
    { name: 'it is no pod', object: [] },
  ])('without a question: $name', async ({ object }) => {
    expect(await review(object, underMaintenance())).toEqual({ answer: { allowed: true }, asked: [] })
  })
})

function annotated(status: string): Node {
  return stored<Node>({
    metadata: { name: 'six', annotations: { 'nodemaintenance.k8s.io/maintenance-status': status } },
  })
}

test('where the node cannot be read there is no answer, so that the API server goes on without', async () => {
  const lookups = {
    node: async () => {
      throw new KubeError('gone fishing', { kind: 'unreachable' })
    },
  }
  await expect(holdPod(buildReviewRequest({ object: daemonPod() }), { lookups }, signal)).rejects.toThrow('fishing')
})
