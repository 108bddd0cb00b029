import { expect, test } from 'vitest'
import { InProcessWebhooks } from '../../embedded/server/admission/webhooks/webhook-caller.ts'
import type { AdmissionReview } from '../../embedded/server/admission/webhooks/admission-review.ts'
import { inProcessServing } from './in-process-serving.ts'

test('handlers are reached at the address that is told, until it is closed', async () => {
  const webhooks = new InProcessWebhooks()
  const served = await inProcessServing(webhooks, 'lifeboat').open(
    new Map([['/review', async () => ({ answer: 42 }) as never]]),
  )
  const client = { ...served.client('/review'), timeoutSeconds: 10 }
  const review = { request: { uid: 'uid' } } as unknown as AdmissionReview
  const { signal } = new AbortController()
  expect(await webhooks.call(client, review, signal)).toEqual({ answer: 42 })
  await served.keepFresh(signal, () => {})
  await served[Symbol.asyncDispose]()
  await expect(webhooks.call(client, review, signal)).rejects.toThrow('no webhook is registered')
})
