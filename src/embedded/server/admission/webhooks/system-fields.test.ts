import { expect, test } from 'vitest'
import { buildAdmissionRequest } from '../../../../../test/build/admission-request.ts'
import type { AdmissionRequest } from '../admission.ts'
import { withoutSystemFields } from './system-fields.ts'

const system = { uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 }
const labels = { app: 'web' }
const created = (metadata: object, name = 'a') =>
  buildAdmissionRequest({ name, object: { metadata: { ...system, ...metadata } } })

test('a new object has neither UID nor times while it is changed, and has them afterwards', async () => {
  let seen: AdmissionRequest | undefined
  const result = await withoutSystemFields(created({ name: 'a' }), (request) => {
    seen = request
    return { metadata: { ...request.object?.metadata, labels } }
  })
  expect(seen).toMatchObject({ name: 'a', object: { metadata: { name: 'a' } } })
  expect(Object.keys(seen?.object?.metadata ?? {})).toEqual(['name'])
  expect(result).toEqual({ metadata: { ...system, name: 'a', labels } })
})

test('a name that was generated is not known yet', async () => {
  let seen: AdmissionRequest | undefined
  const request = created({ name: 'web-x7k2p', generateName: 'web-' }, 'web-x7k2p')
  const result = await withoutSystemFields(request, (bare) => {
    seen = bare
    return { metadata: { ...bare.object?.metadata, labels } }
  })
  expect(seen?.name).toBeUndefined()
  expect(seen?.object?.metadata).toEqual({ generateName: 'web-' })
  expect(result?.metadata).toEqual({ ...system, name: 'web-x7k2p', generateName: 'web-', labels })
})

test('what forges a UID gets the right one all the same', async () => {
  const result = await withoutSystemFields(created({ name: 'a' }), () => ({ metadata: { name: 'a', uid: 'forged' } }))
  expect(result?.metadata.uid).toBe('u')
})

test('an object that nobody changed is the very same', async () => {
  const request = created({ name: 'a' })
  expect(await withoutSystemFields(request, ({ object }) => object)).toBe(request.object)
})

test.each([{ operation: 'UPDATE' as const }, { subresource: 'status' }])('with %j all is seen', async (extra) => {
  const request = { ...created({ name: 'a' }), ...extra }
  const seen: unknown[] = []
  await withoutSystemFields(request, ({ object }) => {
    seen.push(object)
    return object
  })
  expect(seen).toEqual([request.object])
})
