import type { EvacuationKube } from '../../evacuation-client/request-evacuation.ts'
import { describe, expect, test } from 'vitest'
import {
  buildEvacuationOfWeb,
  buildReviewRequest,
  buildWeb,
  otherUid,
  podUid,
} from '../../../test/build/review-request.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
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

interface Ground {
  readonly pod?: Pod | undefined
  /** What each look-up finds, one after the other; the last counts from then on. */
  readonly evacuations?: readonly (Evacuation | undefined)[]
  /** What each write to an Evacuation meets, and the mark on the pod. */
  readonly failures?: readonly (KubeErrorKind | undefined)[]
  readonly markFailure?: KubeErrorKind
}

async function intercepting(ground: Ground, eviction: object = {}, dryRun = false) {
  const calls: string[] = []
  const bodies: unknown[] = []
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
      return object
    },
    patch: async (resource: { plural: string }, _key: object, { body }: { body: unknown }) => {
      calls.push(`patch ${resource.plural}`)
      bodies.push(body)
      fail(resource.plural === 'pods' ? ground.markFailure : failures.shift())
      return evacuationOf()
    },
  } as unknown as EvacuationKube
  const answer = await interceptEviction(
    buildReviewRequest({ object: eviction, dryRun }),
    { kube, lookups, claims: () => [], isPodEvictPolicyOn: true, log: silentLog, nowMs },
    signal,
  )
  return { answer, calls, bodies }
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
    { name: 'a pod that nobody claims', ground: { pod: buildWeb() }, calls: ['get pod', 'get evacuation'] },
  ])('$name', async ({ ground, eviction, dryRun, calls }) => {
    expect(await intercepting(ground, eviction, dryRun)).toEqual({ answer: { allowed: true }, calls, bodies: [] })
  })
})

describe('what becomes an Evacuation', () => {
  const looks = ['get pod', 'get evacuation']
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
      calls: [...looks, 'patch evacuations', 'patch pods'],
    },
    {
      name: 'one that changes meanwhile',
      ground: { evacuations: [evacuationOf(), evacuationOf({ resourceVersion: '6' })], failures: ['conflict'] },
      calls: [...looks, 'patch evacuations', 'get evacuation', 'patch evacuations', 'patch pods'],
    },
    {
      name: 'one that changes twice meanwhile',
      ground: { evacuations: [evacuationOf()], failures: ['conflict', 'conflict'] },
      calls: [
        ...looks,
        ...Array.from({ length: 2 }, () => ['patch evacuations', 'get evacuation']).flat(),
        'patch evacuations',
        'patch pods',
      ],
    },
    {
      name: 'one that begins to go meanwhile',
      ground: { evacuations: [evacuationOf(), evacuationOf({ deletionTimestamp: 'soon' })], failures: ['conflict'] },
      calls: [...looks, 'patch evacuations', 'get evacuation', 'patch pods'],
    },
    {
      name: 'one that is gone meanwhile',
      ground: { evacuations: [evacuationOf(), undefined], failures: ['notFound'] },
      calls: [...looks, 'patch evacuations', 'get evacuation', 'create evacuations', 'patch pods'],
    },
    {
      name: 'one that is going',
      ground: { evacuations: [evacuationOf({ deletionTimestamp: 'soon' })] },
      calls: looks,
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

test.each<KubeErrorKind>(['unreachable', 'forbidden', 'invalid', 'serverError'])(
  'a creation that is %s is no answer: the API server then ignores us',
  async (kind) => {
    await expect(intercepting({ failures: [kind] })).rejects.toThrow(kind)
  },
)
