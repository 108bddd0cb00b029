import type { EvacuationKube } from '../../evacuation-client/request-evacuation.ts'
import { describe, expect, test } from 'vitest'
import {
  buildEvacuationOfWeb,
  buildReviewRequest,
  buildWeb,
  otherUid,
  podUid,
} from '../../../test/build/review-request.ts'
import { stored } from '../../../test/build/stored.ts'
import { evacuationType, newEvacuationStatus, type Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import { validateEvacuation } from '../../api/schema/validate-evacuation.ts'
import type { Evictor } from '../rights/evictor.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { KubeError, type KubeErrorKind } from '../../kube/client/errors.ts'
import { silentLog } from '../../runtime/log.ts'
import { interceptEviction, interceptionWarning } from './intercept-eviction.ts'

const { signal } = new AbortController()
const nowMs = Date.UTC(2026, 0, 1)
const claimed = { annotations: { 'evacuation.coordination.k8s.io/priority_a.example.com': '5' } }
const evacuationOf = (metadata: object = {}) =>
  buildEvacuationOfWeb({ metadata: { resourceVersion: '5', ...metadata } }) as unknown as Evacuation
const failing = (kind: KubeErrorKind) => new KubeError(kind, { kind })

const triggered = {
  allowed: false,
  code: 429,
  reason: 'TooManyRequests',
  message: `Eviction triggered evacuation shop/${podUid}-web`,
  warnings: [interceptionWarning],
}
const mark = {
  metadata: { uid: podUid, annotations: { 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'lifeboat' } },
}

const marked = {
  annotations: { ...claimed.annotations, 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'lifeboat' },
}
const requestedAt = 'evacuation.coordination.k8s.io/eviction-requested-at'
const interceptionFinalizer = 'evacuation.coordination.k8s.io/instigator_eviction.evacuation.coordination.k8s.io'
const askedFor = evacuationOf({
  finalizers: [interceptionFinalizer],
  annotations: { [requestedAt]: new Date(nowMs - 5_000).toISOString() },
})
const turnOfVendor: Evacuation = {
  ...evacuationOf(),
  status: { ...newEvacuationStatus, activeEvacuatorClass: 'a.example.com' },
}
const daemonClaim = { evacuatorClass: 'daemonset.apps.k8s.io', priority: 10_000, role: 'controller' }
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'd', controller: true }
const daemonPod = buildWeb({ ownerReferences: [owner] }, { spec: { containers: [], nodeName: 'one' } })
const underMaintenance = {
  'nodemaintenance.k8s.io/maintenance-status': JSON.stringify({ drainTargets: [] }),
}
const nodeWith = (annotations: Record<string, string>): Node => stored<Node>({ metadata: { name: 'one', annotations } })

interface Ground {
  readonly pod?: Pod | undefined
  /** What each look-up finds, one after the other; the last counts from then on. */
  readonly evacuations?: readonly (Evacuation | undefined)[]
  /** What each write to an Evacuation meets, and the mark on the pod. */
  readonly failures?: readonly (KubeErrorKind | undefined)[]
  readonly markFailure?: KubeErrorKind
  readonly claims?: readonly Evacuator[]
  readonly node?: Node
  readonly evictor?: Evictor
}

async function intercepting(ground: Ground, eviction: object = {}, dryRun = false) {
  const calls: string[] = []
  const bodies: unknown[] = []
  const created: object[] = []
  const found = [...(ground.evacuations ?? [undefined])]
  const failures = [...(ground.failures ?? [])]
  const fail = (kind: KubeErrorKind | undefined) => {
    if (kind !== undefined) throw failing(kind)
  }
  const lookups = {
    pod: async () => {
      calls.push('get pod')
      return 'pod' in ground ? ground.pod : buildWeb(claimed)
    },
    evacuation: async () => {
      calls.push('get evacuation')
      return found.length > 1 ? found.shift() : found[0]
    },
    node: async () => {
      calls.push('get node')
      return ground.node
    },
  }
  const kube = {
    get: async (resource: { plural: string }) => {
      if (resource.plural === 'pods') return buildWeb(claimed)
      const evacuation = await lookups.evacuation()
      if (evacuation === undefined) throw failing('notFound')
      return evacuation
    },
    create: async (resource: { plural: string }, object: object) => {
      calls.push(`create ${resource.plural}`)
      fail(failures.shift())
      created.push(object)
      return object
    },
    patch: async (resource: { plural: string }, _key: object, { body }: { body: unknown }) => {
      calls.push(`patch ${resource.plural}`)
      bodies.push(body)
      fail(resource.plural === 'pods' ? ground.markFailure : failures.shift())
      return evacuationOf()
    },
  } as unknown as EvacuationKube
  const claims = async (_pod: Pod, { isFresh }: { isFresh: boolean }) => {
    calls.push(isFresh ? 'ask for claims as they are now' : 'ask for claims')
    return ground.claims ?? []
  }
  const evictor = async () => {
    calls.push('ask who it is')
    return ground.evictor ?? 'other'
  }
  const answer = await interceptEviction(
    buildReviewRequest({ object: eviction, dryRun }),
    { kube, lookups, claims, evictor, isPodEvictPolicyOn: true, log: silentLog, nowMs },
    signal,
  )
  return { answer, calls, bodies, created }
}

describe('what passes', () => {
  test.each<{ name: string; ground: Ground; eviction?: object; dryRun?: boolean; calls: string[] }>([
    { name: 'a dry run in the URL', ground: {}, dryRun: true, calls: [] },
    { name: 'a dry run in the body', ground: {}, eviction: { deleteOptions: { dryRun: ['All'] } }, calls: [] },
    { name: 'a pod that is not there', ground: { pod: undefined }, calls: ['get pod'] },
    {
      name: 'a pod that is leaving',
      ground: { pod: buildWeb({ ...claimed, deletionTimestamp: 'soon' }) },
      calls: ['get pod'],
    },
    {
      name: 'another pod than is meant',
      ground: {},
      eviction: { deleteOptions: { preconditions: { uid: otherUid } } },
      calls: ['get pod'],
    },
    {
      name: 'a pod that nobody claims',
      ground: { pod: buildWeb() },
      calls: ['get pod', 'get evacuation', 'ask for claims'],
    },
    {
      name: 'a DaemonSet pod on a node that is not under maintenance',
      ground: { pod: daemonPod, claims: [daemonClaim], node: nodeWith({}) },
      calls: ['get pod', 'get evacuation', 'ask for claims', 'get node'],
    },
    {
      name: 'a DaemonSet pod whose node is gone',
      ground: { pod: daemonPod, claims: [daemonClaim] },
      calls: ['get pod', 'get evacuation', 'ask for claims', 'get node'],
    },
    {
      name: 'the eviction by the evacuator whose turn it is',
      ground: { evacuations: [turnOfVendor], evictor: 'evacuator' },
      calls: ['get pod', 'get evacuation', 'ask who it is'],
    },
  ])('$name', async ({ ground, eviction, dryRun, calls }) => {
    expect(await intercepting(ground, eviction, dryRun)).toEqual({
      answer: { allowed: true },
      calls,
      bodies: [],
      created: [],
    })
  })
})

describe('what becomes an Evacuation', () => {
  const looks = ['get pod', 'get evacuation', 'ask for claims']
  const looksAgain = ['get pod', 'get evacuation']
  test.each<{ name: string; ground: Ground; calls: string[] }>([
    { name: 'a claimed pod', ground: {}, calls: [...looks, 'create evacuations', 'patch pods'] },
    {
      name: 'a pod that was marked before',
      ground: {
        pod: buildWeb({
          annotations: { ...claimed.annotations, 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'kubevirt' },
        }),
      },
      calls: [...looks, 'create evacuations'],
    },
    {
      name: 'one that somebody else created at the same moment',
      ground: { evacuations: [undefined, evacuationOf()], failures: ['alreadyExists'] },
      calls: [...looks, 'create evacuations', 'get evacuation', 'patch evacuations', 'patch pods'],
    },
    {
      name: 'one that came and went at the same moment',
      ground: { evacuations: [undefined, undefined], failures: ['alreadyExists'] },
      calls: [...looks, 'create evacuations', 'get evacuation', 'create evacuations', 'patch pods'],
    },
    {
      name: 'one that is there',
      ground: { evacuations: [evacuationOf()] },
      calls: [...looksAgain, 'patch evacuations', 'patch pods'],
    },
    {
      name: 'one that changes meanwhile',
      ground: { evacuations: [evacuationOf(), evacuationOf({ resourceVersion: '6' })], failures: ['conflict'] },
      calls: [...looksAgain, 'patch evacuations', 'get evacuation', 'patch evacuations', 'patch pods'],
    },
    {
      name: 'one that changes twice meanwhile',
      ground: { evacuations: [evacuationOf()], failures: ['conflict', 'conflict'] },
      calls: [
        ...looksAgain,
        ...Array.from({ length: 2 }, () => ['patch evacuations', 'get evacuation']).flat(),
        'patch evacuations',
        'patch pods',
      ],
    },
    {
      name: 'one that begins to go meanwhile',
      ground: { evacuations: [evacuationOf(), evacuationOf({ deletionTimestamp: 'soon' })], failures: ['conflict'] },
      calls: [...looksAgain, 'patch evacuations', 'get evacuation', 'patch pods'],
    },
    {
      name: 'one that is gone meanwhile',
      ground: { evacuations: [evacuationOf(), undefined], failures: ['notFound'] },
      calls: [
        ...looksAgain,
        'patch evacuations',
        'get evacuation',
        'ask for claims',
        'create evacuations',
        'patch pods',
      ],
    },
    {
      name: 'one that is going',
      ground: { evacuations: [evacuationOf({ deletionTimestamp: 'soon' })] },
      calls: looks,
    },
    {
      name: 'one that was asked for a moment ago, by a client that asks again',
      ground: { pod: buildWeb(marked), evacuations: [askedFor] },
      calls: looksAgain,
    },
    {
      name: 'a DaemonSet pod on a node under maintenance',
      ground: { pod: daemonPod, claims: [daemonClaim], node: nodeWith(underMaintenance) },
      calls: [...looks, 'get node', 'create evacuations', 'patch pods'],
    },
    {
      name: 'a pod that its evacuator moves, by a client that is no evacuator',
      ground: { evacuations: [turnOfVendor] },
      calls: [...looksAgain, 'ask who it is', 'patch evacuations', 'patch pods'],
    },
    {
      name: 'a pod that its evacuator moves, by who may be it: nothing is written',
      ground: { evacuations: [turnOfVendor], evictor: 'unclear' },
      calls: [...looksAgain, 'ask who it is'],
    },
    {
      name: 'a pod that another one replaced, so that it cannot be marked',
      ground: { markFailure: 'invalid' },
      calls: [...looks, 'create evacuations', 'patch pods'],
    },
    {
      name: 'a pod that somebody does not let us mark',
      ground: { markFailure: 'forbidden' },
      calls: [...looks, 'create evacuations', 'patch pods'],
    },
  ])('$name', async ({ ground, calls }) => {
    expect(await intercepting(ground)).toMatchObject({ answer: triggered, calls })
  })

  test('every write names the version or the UID that it means', async () => {
    const { bodies } = await intercepting({ evacuations: [evacuationOf()] })
    expect(bodies).toEqual([{ metadata: expect.objectContaining({ resourceVersion: '5' }) as object }, mark])
  })
})

test('what is created is an Evacuation that the schema takes', async () => {
  const claim = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
  const { created } = await intercepting({ pod: buildWeb({ ...claimed, labels: { app: 'web' } }), claims: [claim] })
  const evacuation = { ...evacuationType, ...created[0] }
  expect(evacuation).toEqual({
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: {
      name: `${podUid}-web`,
      namespace: 'shop',
      labels: { app: 'web' },
      finalizers: [interceptionFinalizer],
      annotations: { [requestedAt]: '2026-01-01T00:00:00.000Z' },
    },
    spec: {
      podRef: { name: 'web', uid: podUid },
      progressDeadlineSeconds: 1_800,
      evacuators: [claim, { evacuatorClass: 'a.example.com', priority: 5 }],
    },
  })
  expect(validateEvacuation(evacuation)).toEqual([])
})

test.each<KubeErrorKind>(['unreachable', 'forbidden', 'invalid', 'serverError'])(
  'a creation that is %s is no answer: the API server then ignores us',
  async (kind) => {
    await expect(intercepting({ failures: [kind] })).rejects.toThrow(kind)
  },
)
