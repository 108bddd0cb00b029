import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildReviewRequest } from '../../../test/build/review-request.ts'
import {
  badTimeouts,
  evictTimeRows,
  mirrorRow,
  podOf,
  timeOf,
  type EvictTimeRow,
} from '../../../test/scenarios/evict-time.ts'
import { jsonPatch } from '../../embedded/server/patch/json-patch.ts'
import { makeEvictTime } from './make-evict-time.ts'

/** As it is when the API server asks: with the tolerations that Kubernetes gives every pod. */
async function asked(row: Pick<EvictTimeRow, 'metadata' | 'tolerations'>) {
  const { body } = await buildServer().send('POST', '/api/v1/namespaces/shop/pods', podOf(row))
  const object = body as Record<string, unknown>
  const answer = makeEvictTime(buildReviewRequest({ object }), 60_000)
  return timeOf(answer.allowed ? (jsonPatch(object, answer.patch ?? []) as object) : {})
}

// The same rows as the policy has: it must not matter which of the two an API server has.
test.each([...evictTimeRows, mirrorRow])('a pod $name', async ({ seconds, added, ...row }) => {
  expect(await asked(row)).toEqual({ seconds, added })
})

test.each(badTimeouts)('the timeout %j counts as none', async (timeout) => {
  const [{ metadata }] = evictTimeRows as [EvictTimeRow]
  const { annotations } = metadata as { annotations: object }
  const asking = { ...metadata, annotations: { ...annotations, 'kubernetes.io/evict-timeout': timeout } }
  expect(await asked({ metadata: asking })).toEqual({ seconds: [360, 360], added: '60' })
})

test.each([undefined, null, [], 'pod', { metadata: 7, spec: { tolerations: {} } }])('%j is let through', (object) => {
  expect(makeEvictTime(buildReviewRequest({ object }), 60_000)).toEqual({ allowed: true })
})
