import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildEvacuationOfWeb, buildWeb } from '../../../test/build/review-request.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import type { Kube } from '../../kube/client/client.ts'
import { silentLog } from '../../runtime/log.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { openAdmission } from '../admission.ts'
import { webhookPaths } from '../serving/webhook-configurations.ts'
import { stored } from '../../../test/build/stored.ts'

const evacuation = buildEvacuationOfWeb({ status: {} })
const kube = {
  get: async ({ plural }: { plural: string }) => (plural === 'evacuations' ? evacuation : buildWeb()),
  ask: async () => ({ status: { allowed: true } }),
  create: async () => evacuation,
  patch: async () => evacuation,
} as unknown as Pick<Kube, 'ask' | 'get' | 'create' | 'patch'>
const handlers = openAdmission({
  kube,
  clock: new VirtualClock(),
  log: silentLog,
  gates: featureGateDefaults,
  controllerEvictTimeoutMs: 60_000,
  listNodes: async () => [stored<Node>({ metadata: { name: 'six' } })],
})
const { signal } = new AbortController()

const maintenance = {
  metadata: { name: 'upgrade' },
  spec: {
    nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['blue'] }] }] },
    stage: 'Drain',
    drainPlan: [{ podPriority: 1, podType: 'Default', podSelector: { matchLabels: { app: 'web' } } }],
  },
}

/** A good object in which something was replaced by anything. */
const spoilt = fc
  .tuple(
    fc.constantFrom(
      ['metadata'],
      ['metadata', 'name'],
      ['metadata', 'labels'],
      ['metadata', 'annotations'],
      ['metadata', 'finalizers'],
      ['spec'],
      ['spec', 'podRef'],
      ['spec', 'podRef', 'name'],
      ['spec', 'evacuators'],
      ['spec', 'stage'],
      ['spec', 'nodeSelector'],
      ['spec', 'nodeSelector', 'nodeSelectorTerms'],
      ['spec', 'nodeSelector', 'nodeSelectorTerms', '0'],
      ['spec', 'nodeSelector', 'nodeSelectorTerms', '0', 'matchExpressions'],
      ['spec', 'drainPlan'],
      ['spec', 'drainPlan', '0'],
      ['spec', 'drainPlan', '0', 'podSelector'],
      ['status'],
      ['deleteOptions'],
    ),
    fc.jsonValue(),
    fc.constantFrom<Record<string, unknown>>(evacuation, maintenance),
  )
  .map(([path, value, good]) => {
    const object = structuredClone(good)
    let place = object
    for (const key of path.slice(0, -1)) place = (place[key] ??= {}) as typeof object
    place[path.at(-1) ?? ''] = value
    return object
  })

const object = fc.oneof(spoilt, fc.jsonValue())

test.each(Object.values(webhookPaths))('%s answers whatever objects it is sent', async (path) => {
  const request = fc.record({
    uid: fc.constant('u'),
    operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
    name: fc.constant('web'),
    namespace: fc.constant('shop'),
    userInfo: fc.oneof(fc.constant({ username: 'joe' }), fc.jsonValue()),
    dryRun: fc.oneof(fc.boolean(), fc.jsonValue()),
    object,
    oldObject: object,
  })
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: sent }
      const answer = await handlers.get(path)?.(review, signal)
      expect(answer?.response).toMatchObject({ uid: 'u', allowed: expect.any(Boolean) as boolean })
    }),
    { numRuns: 500 },
  )
})
