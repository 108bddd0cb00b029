import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import type { WorkloadTurn } from '../workload/workload-evacuator.ts'
import { daemonSet } from './daemon-set.ts'

const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'critical-ds', uid: '1', controller: true }
const podOf = (metadata: ObjectMeta = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { namespace: 'shop', name: 'critical-ds-5nxjs', uid: 'u', ownerReferences: [owner], ...metadata },
  spec: { nodeName: 'six', terminationGracePeriodSeconds: 60, containers: [], ...spec },
})
const annotated = (status?: string): Node => ({
  metadata: {
    name: 'six',
    ...(status === undefined ? {} : { annotations: { 'nodemaintenance.k8s.io/maintenance-status': status } }),
  },
})
const draining = (podPriority: number) =>
  annotated(
    JSON.stringify({
      drainTargets: [
        { podPriority: 2_147_483_647, podType: 'Default' },
        { podPriority, podType: 'DaemonSet' },
      ],
    }),
  )

describe('claim', () => {
  const nothing = async () => {
    throw new Error('nothing needs to be read')
  }
  const read = { get: nothing, list: nothing }
  const registered = { evacuatorClass: 'daemonset.apps.k8s.io', priority: 10_000, role: 'controller' }
  test.each([
    { name: 'the pod of a DaemonSet', pod: podOf(), expected: registered },
    { name: 'a bare pod', pod: podOf({ ownerReferences: [] }), expected: undefined },
    {
      name: 'a pod of another kind of DaemonSet',
      pod: podOf({ ownerReferences: [{ ...owner, apiVersion: 'apps.kruise.io/v1alpha1' }] }),
      expected: undefined,
    },
    {
      name: 'a pod that a DaemonSet owns and does not control',
      pod: podOf({ ownerReferences: [{ ...owner, controller: false }] }),
      expected: undefined,
    },
    {
      name: 'a static pod',
      pod: podOf({ annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      expected: undefined,
    },
  ])('$name', async ({ pod, expected }) => {
    expect(await daemonSet.claim(pod, read)).toEqual(expected)
  })
})

describe('step', () => {
  const nowMs = Date.parse('2024-04-22T21:40:32Z')
  const deleted = {
    kind: 'write',
    write: {
      kind: 'deletePod',
      pod: { namespace: 'shop', name: 'critical-ds-5nxjs', uid: 'u' },
      says: {
        kind: 'working',
        message: 'critical-ds is terminating the pod due to node maintenance',
        expectedFinishMs: Date.parse('2024-04-22T21:41:32Z'),
      },
    },
  }
  const waits = (because: object) => ({ kind: 'waiting', because })
  test.each<{ name: string; pod?: Pod; node: Node | undefined; expected: object }>([
    {
      name: 'deletes a pod within the targets',
      pod: podOf({}, { priority: 5_000 }),
      node: draining(5_000),
      expected: deleted,
    },
    {
      name: 'leaves a pod beyond the targets',
      pod: podOf({}, { priority: 5_001 }),
      node: draining(5_000),
      expected: waits({ kind: 'beyondDrainTargets', node: 'six', podPriority: 5_001 }),
    },
    {
      name: 'leaves a pod on a node that is not under maintenance',
      node: annotated(),
      expected: waits({ kind: 'notUnderMaintenance', node: 'six' }),
    },
    {
      name: 'leaves a pod on a node that is gone',
      node: undefined,
      expected: waits({ kind: 'notUnderMaintenance', node: 'six' }),
    },
    {
      name: 'leaves a pod where nobody can tell, and says what is wrong',
      node: annotated('{"drainTargets":[{"podPriority":1,"podType":"Daemon"}]}'),
      expected: waits({
        reason: 'MaintenanceStatusUnclear',
        message: expect.stringContaining('drainTargets[0].podType') as string,
      }),
    },
  ])('$name', ({ pod = podOf(), node, expected }) => {
    expect(daemonSet.step({ pod, node }, nowMs)).toMatchObject(expected)
  })
})

test('it follows the node of the pod and looks at nothing else', async () => {
  const node = draining(0)
  const asked: string[] = []
  const world = {
    namespace: 'shop',
    get: (_resource: unknown, name: string) => {
      asked.push(name)
      return node as never
    },
  }
  const turn = { pod: podOf() } as unknown as WorkloadTurn
  expect(await daemonSet.gather(turn, world as never)).toEqual({ pod: podOf(), node })
  expect(asked).toEqual(['six'])
  expect(daemonSet.follows(podOf())).toMatchObject([{ resource: { plural: 'nodes' }, name: 'six' }])
  expect(daemonSet.follows(podOf({}, { nodeName: '' }))).toEqual([])
})
