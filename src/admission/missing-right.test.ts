import { expect, test } from 'vitest'
import { buildReviewRequest } from '../../test/build/review-request.ts'
import { missingRight, podOfRequest } from './missing-right.ts'

const { signal } = new AbortController()
const evacuation = (name: string) => ({ spec: { podRef: { name, uid: 'uid-1' } } })

test.each([
  { operation: 'CREATE', objects: { object: evacuation('cart') }, deed: 'create' },
  { operation: 'UPDATE', objects: { object: evacuation('cart'), oldObject: evacuation('cart') }, deed: 'change' },
  { operation: 'DELETE', objects: { oldObject: evacuation('cart') }, deed: 'delete' },
] as const)('who may not delete the pod may not $deed its Evacuation', async ({ operation, objects, deed }) => {
  const request = { ...buildReviewRequest({ operation, ...objects }), object: undefined, ...objects }
  const { username } = request.userInfo
  expect(await missingRight(request, async () => true, signal)).toBeUndefined()
  expect(await missingRight(request, async () => false, signal)).toMatchObject({
    allowed: false,
    code: 403,
    message: `user "${username}" may not delete pod ${request.namespace}/cart, so it may not ${deed} its Evacuation`,
  })
})

test('an update is judged by the pod that the Evacuation was about', () => {
  const request = buildReviewRequest({
    operation: 'UPDATE',
    object: evacuation('mine'),
    oldObject: evacuation('theirs'),
  })
  expect(podOfRequest(request)?.name).toBe('theirs')
})

test('an Evacuation that names no pod is refused', async () => {
  const request = buildReviewRequest({ operation: 'CREATE', object: {} })
  expect(await missingRight(request, async () => true, signal)).toMatchObject({ allowed: false, code: 422 })
})
