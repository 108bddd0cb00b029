import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { validateEvacuation } from '../../api/schema/validate-evacuation.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { probeWebhook } from './probe-webhook.ts'

test.each([
  {
    name: 'our own refusal means that we were reached',
    answer: failure(422, 'Invalid', 'admission webhook denied the request: no such pod'),
    expected: { kind: 'reached' },
  },
  { name: 'no refusal means that nobody asked us', answer: undefined, expected: { kind: 'notRegistered' } },
  {
    name: 'without the kind there is no webhook either',
    answer: failure(404, 'NotFound', 'not found'),
    expected: { kind: 'notRegistered' },
  },
  {
    name: 'what keeps the API server from us is passed on',
    answer: failure(500, 'InternalError', 'failed calling webhook: connection refused'),
    expected: { kind: 'failed', message: 'failed calling webhook: connection refused' },
  },
])('$name', async ({ answer, expected }) => {
  const api = new FakeApi()
  api.fault = () => answer ?? { status: 201, headers: {}, body: { metadata: { name: 'probe', uid: 'u' } } }
  expect(await probeWebhook(buildKube(api, new VirtualClock()), 'lifeboat-system')).toEqual(expected)
  expect(api.requests.map(({ query }) => query)).toEqual([{ dryRun: 'All' }])
  // The schema must have nothing against it, or its refusal would be taken for ours.
  expect(validateEvacuation(api.requests[0]?.body as Evacuation)).toEqual([])
})
