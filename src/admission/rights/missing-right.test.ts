import { expect, test } from 'vitest'
import { buildReviewRequest } from '../../../test/build/review-request.ts'
import { missingRight } from './missing-right.ts'

const { signal } = new AbortController()
const evacuation = (name: string) => ({ spec: { podRef: { name, uid: 'uid-1' } } })

test('who may not delete the pod may not create its Evacuation', async () => {
  const request = buildReviewRequest({ operation: 'CREATE', object: evacuation('cart') })
  const { username } = request.userInfo
  expect(await missingRight(request, async () => true, signal)).toBeUndefined()
  expect(await missingRight(request, async () => false, signal)).toMatchObject({
    allowed: false,
    code: 403,
    message: `user "${username}" may not delete pod ${request.namespace}/cart, so it may not create its Evacuation`,
  })
})

test('an Evacuation that names no pod is refused', async () => {
  const request = buildReviewRequest({ operation: 'CREATE', object: {} })
  expect(await missingRight(request, async () => true, signal)).toMatchObject({ allowed: false, code: 422 })
})
