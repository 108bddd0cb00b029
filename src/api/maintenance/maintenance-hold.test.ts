import { expect, describe, test } from 'vitest'
import type { Node, Pod, PodSpec } from '../kubernetes/core.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import {
  intendedNodeOf,
  isHeld,
  maintenanceStandingOf,
  releasingPatch,
  type MaintenanceStanding,
} from './maintenance-hold.ts'
import { renderMaintenanceStatus, type MaintenanceStatus } from './maintenance-status.ts'
import { annotations } from '../names.ts'

const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const pod = (spec: Partial<PodSpec> = {}): Pod => ({
  metadata: {
    name: 'logs-1',
    namespace: 'shop',
    uid: 'u',
    resourceVersion: '7',
    labels: { app: 'logs' },
    ownerReferences: [daemonSet],
  },
  spec: { containers: [], ...spec },
})
const targeting = (...drainTargets: MaintenanceStatus['drainTargets']): Node => ({
  metadata: storedMeta({
    name: 'six',
    annotations: {
      [annotations.maintenanceStatus]: renderMaintenanceStatus({
        drainTargets,
        drainMessage: '',
        podsPendingEvacuation: 0,
        podsEvacuating: 0,
      }),
    },
  }),
})

describe('maintenanceStandingOf', () => {
  const upTo5000 = targeting(
    { podPriority: 2_147_483_647, podType: 'Default' },
    { podPriority: 5_000, podType: 'DaemonSet' },
  )
  test.each<{ name: string; pod?: Pod; node: Node | undefined; expected: MaintenanceStanding['kind'] }>([
    { name: 'there is no such node', node: undefined, expected: 'notUnderMaintenance' },
    {
      name: 'the node has no annotation',
      node: stored<Node>({ metadata: { name: 'six' } }),
      expected: 'notUnderMaintenance',
    },
    { name: 'its priority is reached', pod: pod({ priority: 5_000 }), node: upTo5000, expected: 'withinTargets' },
    { name: 'its priority is not reached', pod: pod({ priority: 5_001 }), node: upTo5000, expected: 'beyondTargets' },
    { name: 'it has no priority, which is 0', node: upTo5000, expected: 'withinTargets' },
    { name: 'the node is cordoned and nothing is drained yet', node: targeting(), expected: 'beyondTargets' },
    {
      name: 'only pods of other types are drained yet',
      node: targeting({ podPriority: 2_147_483_647, podType: 'Default' }),
      expected: 'beyondTargets',
    },
    {
      name: 'a selector names it',
      node: targeting({ podPriority: 9, podType: 'DaemonSet', podSelector: { matchLabels: { app: 'logs' } } }),
      expected: 'withinTargets',
    },
    {
      name: 'a selector names others',
      node: targeting({ podPriority: 9, podType: 'DaemonSet', podSelector: { matchLabels: { app: 'mail' } } }),
      expected: 'beyondTargets',
    },
    {
      name: 'the annotation cannot be read',
      node: stored<Node>({ metadata: { name: 'six', annotations: { [annotations.maintenanceStatus]: '{' } } }),
      expected: 'unclear',
    },
  ])('$name: $expected', ({ pod: subject = pod(), node, expected }) => {
    expect(maintenanceStandingOf(subject, node).kind).toBe(expected)
  })
})

describe('intendedNodeOf', () => {
  const madeFor = (...values: string[]): Partial<PodSpec> => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{}, { matchFields: [{ key: 'metadata.name', operator: 'In', values }] }],
        },
      },
    },
  })
  test.each<{ name: string; spec: Partial<PodSpec>; expected: string | undefined }>([
    { name: 'a pod on a node', spec: { ...madeFor('six'), nodeName: 'five' }, expected: 'five' },
    { name: 'a pod made for a node', spec: madeFor('six'), expected: 'six' },
    { name: 'a pod for one of two nodes', spec: madeFor('six', 'seven'), expected: undefined },
    { name: 'a pod for any node', spec: {}, expected: undefined },
  ])('$name: $expected', ({ spec, expected }) => {
    expect(intendedNodeOf(pod(spec))).toBe(expected)
  })
})

describe('releasingPatch', () => {
  const gate = { name: 'nodemaintenance.k8s.io/maintenance' }
  test('takes off our gate and our label, and leaves the gates of others', () => {
    const held = pod({ schedulingGates: [{ name: 'example.com/quota' }, gate] })
    expect(isHeld(held)).toBe(true)
    expect(releasingPatch(held)).toEqual({
      metadata: { uid: 'u', resourceVersion: '7', labels: { 'nodemaintenance.k8s.io/held': null } },
      spec: { schedulingGates: [{ name: 'example.com/quota' }] },
    })
  })

  test('leaves the spec alone where somebody took the gate off', () => {
    expect(isHeld(pod())).toBe(false)
    expect(releasingPatch(pod())).not.toHaveProperty('spec')
  })
})
