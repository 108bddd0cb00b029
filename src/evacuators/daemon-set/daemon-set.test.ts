import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../api/kubernetes/meta.ts'
import type { DaemonSet } from '../../api/kubernetes/apps.ts'
import type { Rehearsal } from '../../kube/client/rehearsal.ts'
import type { WorkloadTurn } from '../workload/workload-evacuator.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { daemonSet, type Situation } from './daemon-set.ts'

const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'critical-ds', uid: '1', controller: true }
const gate = { schedulingGates: [{ name: 'nodemaintenance.k8s.io/maintenance' }] }
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['six'] }] }],
    },
  },
}
const podOf = (metadata: Partial<NamespacedMeta> = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {
    namespace: 'shop',
    name: 'critical-ds-5nxjs',
    uid: 'u',
    resourceVersion: '1',
    labels: { app: 'critical' },
    ownerReferences: [owner],
    ...metadata,
  },
  spec: { nodeName: 'six', terminationGracePeriodSeconds: 60, affinity, containers: [], ...spec },
})
const critical: DaemonSet = {
  metadata: storedMeta({ namespace: 'shop', name: 'critical-ds', uid: '1' }),
  spec: {
    selector: { matchLabels: { app: 'critical' } },
    template: { metadata: { labels: { app: 'critical' } }, spec: { containers: [] } },
  },
}
const held: Rehearsal<Pod> = { kind: 'admitted', object: podOf({}, gate) }
const notHeld: Rehearsal<Pod> = { kind: 'admitted', object: podOf() }
const annotated = (status?: string): Node => ({
  metadata: storedMeta({
    name: 'six',
    ...(status === undefined ? {} : { annotations: { 'nodemaintenance.k8s.io/maintenance-status': status } }),
  }),
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
        message: 'critical-ds is terminating the pod due to node maintenance.',
        expectedFinishMs: Date.parse('2024-04-22T21:41:32Z'),
      },
    },
  }
  const waits = (because: object, againInMs = 600_000) => ({ kind: 'waiting', because, againInMs })
  const about = { node: 'six', owner: 'DaemonSet critical-ds' }
  const leaving = (rehearsal: Rehearsal<Pod>): Situation => ({ kind: 'leaves', daemonSet: 'critical-ds', rehearsal })
  const hold = JSON.stringify({ since: '2024-04-22T21:40:00Z', pods: ['u'] })
  const holding = {
    ...draining(5_000),
    metadata: storedMeta({
      name: 'six',
      annotations: { ...draining(5_000).metadata.annotations, 'nodemaintenance.k8s.io/daemon-set-hold': hold },
    }),
  }
  const original = podOf({ creationTimestamp: '2024-04-22T19:00:00Z' })
  const back = podOf({ creationTimestamp: '2024-04-22T21:40:02Z', uid: 'v' })
  test.each<{
    name: string
    pod?: Pod
    node?: Node
    situation: Situation
    blockedMs?: number
    expected: object
  }>([
    { name: 'deletes a pod whose successor would be held', situation: leaving(held), expected: deleted },
    {
      name: 'deletes one that was there before the hold began',
      pod: original,
      node: holding,
      situation: leaving(held),
      expected: deleted,
    },
    {
      name: 'keeps one whose successor would not be held',
      situation: leaving(notHeld),
      expected: waits({ kind: 'holdNotCalled', ...about }, 10_000),
    },
    {
      name: 'deletes one whose successor is not to be held, as it is beyond the targets',
      situation: leaving({ kind: 'admitted', object: podOf({}, { priority: 5_001 }) }),
      expected: deleted,
    },
    {
      name: 'looks again after as long as it has waited',
      situation: leaving(notHeld),
      blockedMs: 25_000,
      expected: waits({ kind: 'holdNotCalled', ...about }, 25_000),
    },
    {
      name: 'looks again within a minute',
      situation: leaving(notHeld),
      blockedMs: 3_600_000,
      expected: waits({ kind: 'holdNotCalled', ...about }, 60_000),
    },
    {
      name: 'keeps one whose successor would be refused, in the words of the API server',
      situation: leaving({ kind: 'refused', message: 'violates PodSecurity' }),
      expected: waits(
        { kind: 'replacementRefused', owner: 'DaemonSet critical-ds', message: 'violates PodSecurity' },
        10_000,
      ),
    },
    {
      name: 'deletes without a dry run where that says nothing',
      pod: original,
      node: holding,
      situation: leaving({ kind: 'inconclusive', message: 'no right' }),
      expected: deleted,
    },
    {
      name: 'keeps one that came back for two minutes, although the next one would be held',
      pod: back,
      node: holding,
      situation: leaving(held),
      expected: waits({ kind: 'cameBackUnheld', ...about }, 90_000),
    },
    {
      name: 'keeps one that came back also where a dry run says nothing',
      pod: back,
      node: holding,
      situation: leaving({ kind: 'inconclusive', message: 'no right' }),
      expected: waits({ kind: 'cameBackUnheld', ...about }, 90_000),
    },
    {
      name: 'leaves a pod beyond the targets',
      pod: podOf({}, { priority: 5_001 }),
      situation: { kind: 'stays', standing: { kind: 'beyondTargets' } },
      expected: waits({ kind: 'beyondDrainTargets', node: 'six', podPriority: 5_001 }),
    },
    {
      name: 'leaves a pod on a node that is not under maintenance',
      situation: { kind: 'stays', standing: { kind: 'notUnderMaintenance' } },
      expected: waits({ kind: 'notUnderMaintenance', node: 'six' }),
    },
    {
      name: 'leaves a pod where nobody can tell, and says what is wrong',
      situation: { kind: 'stays', standing: { kind: 'unclear', problem: 'is not JSON' } },
      expected: waits({
        reason: 'MaintenanceStatusUnclear',
        message: 'The annotation nodemaintenance.k8s.io/maintenance-status of node six is not JSON',
      }),
    },
    {
      name: 'has nothing to do with a pod of no DaemonSet',
      situation: { kind: 'ofNoDaemonSet' },
      expected: { kind: 'completed', message: 'The pod is of no DaemonSet' },
    },
  ])('$name', ({ pod = podOf(), node = draining(5_000), situation, blockedMs = 0, expected }) => {
    expect(daemonSet.step({ pod, node, situation, blockedMs }, nowMs)).toMatchObject(expected)
  })

  test('a pod that came back leaves when its time is over', () => {
    const view = { pod: back, node: holding, situation: leaving(held), blockedMs: 0 }
    expect(daemonSet.step(view, nowMs + 89_999).kind).toBe('waiting')
    expect(daemonSet.step(view, nowMs + 90_000).kind).toBe('write')
  })
})

describe('gather', () => {
  const nowMs = Date.parse('2024-04-22T21:40:32Z')
  const looking = async (pod: Pod, node: Node | undefined, found?: DaemonSet) => {
    const asked: string[] = []
    const answer = (name: string, what: unknown) => {
      asked.push(name)
      return what as never
    }
    const world = {
      namespace: 'shop',
      get: (_resource: unknown, name: string) => answer(`follows ${name}`, node),
      read: { get: async (_resource: unknown, { name }: { name: string }) => answer(`reads ${name}`, found) },
      rehearse: async (_resource: unknown, next: Pod) => answer(`tries ${next.metadata.generateName}`, held),
    }
    const evacuation = {
      status: { conditions: [{ type: 'Blocked', status: 'True', lastTransitionTime: '2024-04-22T21:40:00Z' }] },
    }
    const turn = { pod, evacuation, nowMs } as unknown as WorkloadTurn
    const { situation, blockedMs } = await daemonSet.gather(turn, world as never)
    expect(blockedMs).toBe(32_000)
    return { asked, situation }
  }
  const stays = (kind: string) => ({ kind: 'stays', standing: { kind } })

  test.each<{ name: string; pod?: Pod; node: Node | undefined; found?: DaemonSet; situation: object; asked: string[] }>(
    [
      {
        name: 'a pod whose turn it is: reads its DaemonSet and tries the next pod',
        pod: podOf({}, { priority: 5_000 }),
        node: draining(5_000),
        found: critical,
        situation: { kind: 'leaves', daemonSet: 'critical-ds', rehearsal: held },
        asked: ['follows six', 'reads critical-ds', 'tries critical-ds-'],
      },
      {
        name: 'one beyond the targets: asks nobody',
        pod: podOf({}, { priority: 5_001 }),
        node: draining(5_000),
        situation: stays('beyondTargets'),
        asked: ['follows six'],
      },
      {
        name: 'one on a node that is not under maintenance',
        node: annotated(),
        situation: stays('notUnderMaintenance'),
        asked: ['follows six'],
      },
      {
        name: 'one on a node that is gone',
        node: undefined,
        situation: stays('notUnderMaintenance'),
        asked: ['follows six'],
      },
      {
        name: 'one whose node says something unreadable',
        node: annotated('{"drainTargets":[{"podPriority":1,"podType":"Daemon"}]}'),
        situation: { kind: 'stays', standing: { kind: 'unclear' } },
        asked: ['follows six'],
      },
      {
        name: 'one that no DaemonSet controls',
        pod: podOf({ ownerReferences: [] }),
        node: draining(5_000),
        situation: { kind: 'ofNoDaemonSet' },
        asked: ['follows six'],
      },
      {
        name: 'one whose DaemonSet is not there',
        node: draining(5_000),
        situation: { kind: 'ofNoDaemonSet' },
        asked: ['follows six', 'reads critical-ds'],
      },
      {
        name: 'one whose DaemonSet does not select it',
        pod: podOf({ labels: { app: 'web' } }),
        node: draining(5_000),
        found: critical,
        situation: { kind: 'ofNoDaemonSet' },
        asked: ['follows six', 'reads critical-ds'],
      },
    ],
  )('$name', async ({ pod = podOf(), node, found, situation, asked }) => {
    expect(await looking(pod, node, found)).toMatchObject({ situation, asked })
  })

  test('it follows the node of the pod', () => {
    expect(daemonSet.follows(podOf())).toMatchObject([{ resource: { plural: 'nodes' }, name: 'six' }])
    const nowhere: Pod = { metadata: podOf().metadata, spec: { nodeName: '', containers: [] } }
    expect(daemonSet.follows(nowhere)).toEqual([])
  })
})
