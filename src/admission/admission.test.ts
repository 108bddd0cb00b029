import { describe, expect, test } from 'vitest'
import { buildEvacuationOfWeb, buildReviewRequest, buildWeb } from '../../test/build/review-request.ts'
import { featureGateDefaults } from '../api/feature-gates.ts'
import type { Node } from '../api/kubernetes/core.ts'
import type { Kube } from '../kube/client/client.ts'
import { KubeError } from '../kube/client/errors.ts'
import { silentLog } from '../runtime/log.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { stored } from '../../test/build/stored.ts'
import { openAdmission } from './admission.ts'
import type { AdmissionRequest } from './reviews/admission-request.ts'
import { webhookPaths } from './serving/webhook-configurations.ts'

const { signal } = new AbortController()
const reviewOf = (extra: Partial<AdmissionRequest>) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: buildReviewRequest(extra),
})

function open(gates: Partial<typeof featureGateDefaults> = {}, get: () => Promise<object> = async () => buildWeb()) {
  const outcomes: string[] = []
  const kube = {
    get,
    ask: async () => ({ status: { allowed: false } }),
    create: async () => ({}),
    patch: async () => ({}),
  } as unknown as Pick<Kube, 'ask' | 'get' | 'create' | 'patch'>
  const handlers = openAdmission({
    kube,
    clock: new VirtualClock(),
    log: silentLog,
    controllerEvictTimeoutMs: 60_000,
    listNodes: async () => [stored<Node>({ metadata: { name: 'six' } })],
    gates: { ...featureGateDefaults, ...gates },
    metrics: { reviewed: (webhook, outcome) => void outcomes.push(`${webhook} ${outcome}`) },
  })
  return { handlers, outcomes }
}

describe('feature gates', () => {
  const { mutateEvacuations, interceptEvictions, holdPods, makeEvictTime } = webhookPaths
  const maintenances = [webhookPaths.mutateNodeMaintenances, webhookPaths.validateNodeMaintenances]
  test.each([
    { gates: {}, expected: [mutateEvacuations, interceptEvictions, holdPods, makeEvictTime, ...maintenances] },
    {
      gates: { EvictionInterception: false },
      expected: [mutateEvacuations, holdPods, makeEvictTime, ...maintenances],
    },
    {
      gates: { NodeMaintenanceAwareDaemonSet: false },
      expected: [mutateEvacuations, interceptEvictions, makeEvictTime, ...maintenances],
    },
    {
      gates: { DeclarativeNodeMaintenance: false },
      expected: [mutateEvacuations, interceptEvictions, makeEvictTime],
    },
    {
      gates: { PodEvictPolicy: false },
      expected: [mutateEvacuations, interceptEvictions, holdPods, ...maintenances],
    },
    { gates: { EvacuationAPI: false }, expected: [] },
  ])('$gates', ({ gates, expected }) => {
    expect([...open(gates).handlers.keys()]).toEqual(expected)
  })
})

test('a review is answered under its UID, and counted', async () => {
  const { handlers, outcomes } = open()
  const object = buildEvacuationOfWeb()
  const mutated = await handlers.get(webhookPaths.mutateEvacuations)?.(reviewOf({ object }), signal)
  expect(mutated?.response).toMatchObject({ uid: 'review', allowed: false, status: { code: 403 } })
  const left = await handlers.get(webhookPaths.mutateEvacuations)?.(reviewOf({ object: {} }), signal)
  expect(left?.response).toEqual({ uid: 'review', allowed: true })
  expect(outcomes).toEqual(['/evacuations/mutate denied', '/evacuations/mutate allowed'])
})

test('NodeMaintenances are completed, and refused to who may not delete the nodes', async () => {
  const { handlers } = open()
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['six'] }] }]
  const object = { spec: { nodeSelector: { nodeSelectorTerms } } }
  const mutated = await handlers.get(webhookPaths.mutateNodeMaintenances)?.(reviewOf({ object }), signal)
  expect(mutated?.response).toMatchObject({ allowed: true, patchType: 'JSONPatch' })
  const validated = await handlers.get(webhookPaths.validateNodeMaintenances)?.(reviewOf({ object }), signal)
  expect(validated?.response).toMatchObject({ allowed: false, status: { code: 403 } })
})

test('what cannot be answered is thrown, and counted', async () => {
  const { handlers, outcomes } = open({}, async () => {
    throw new KubeError('no answer', { kind: 'unreachable' })
  })
  const intercept = handlers.get(webhookPaths.interceptEvictions)
  await expect(intercept?.(reviewOf({}), signal)).rejects.toThrow('no answer')
  await expect(intercept?.('nonsense', signal)).rejects.toThrow('must be an AdmissionReview')
  expect(outcomes).toEqual(['/evictions/intercept failed', '/evictions/intercept failed'])
})
