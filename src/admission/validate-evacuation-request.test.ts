import { describe, expect, test } from 'vitest'
import { buildEvacuationOfWeb, buildReviewRequest, buildWeb, otherUid } from '../../test/build/review-request.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { AdmissionRequest } from './admission-request.ts'
import { validateEvacuationRequest } from './validate-evacuation-request.ts'

const { signal } = new AbortController()
const nowMs = Date.UTC(2026, 0, 1)

async function validating(
  extra: Partial<AdmissionRequest>,
  parts: { mayDelete?: boolean; pod?: Pod | undefined } = {},
) {
  const asked: string[] = []
  const mayDeletePod = async (_user: unknown, { namespace, name }: { namespace: string; name: string }) => {
    asked.push(`${namespace}/${name}`)
    return parts.mayDelete ?? true
  }
  const lookups = { pod: async () => ('pod' in parts ? parts.pod : buildWeb()) }
  const answer = await validateEvacuationRequest(buildReviewRequest(extra), { lookups, mayDeletePod, nowMs }, signal)
  return { answer, asked }
}

const evacuation = buildEvacuationOfWeb()

describe('the right to delete the pod', () => {
  test.each([
    { operation: 'CREATE', deed: 'create', objects: { object: evacuation } },
    { operation: 'UPDATE', deed: 'change', objects: { object: evacuation, oldObject: evacuation } },
    { operation: 'DELETE', deed: 'delete', objects: { oldObject: evacuation } },
  ] as const)('is asked for on $operation', async ({ operation, deed, objects }) => {
    const { answer, asked } = await validating({ operation, ...objects }, { mayDelete: false })
    expect(asked).toEqual(['shop/web'])
    expect(answer).toEqual({
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: `user "joe" may not delete pod shop/web, so it may not ${deed} its Evacuation`,
    })
    expect((await validating({ operation, ...objects })).answer).toEqual({ allowed: true })
  })

  test('is that for the pod as it was, whatever an update says', async () => {
    const object = buildEvacuationOfWeb({ spec: { podRef: { name: 'mine', uid: otherUid } } })
    const { asked } = await validating({ operation: 'UPDATE', object, oldObject: evacuation })
    expect(asked).toEqual(['shop/web'])
  })

  test.each([{}, { spec: {} }, { spec: { podRef: { name: 7 } } }, 'text', undefined])(
    'nothing passes without a pod: %j',
    async (object) => {
      const { answer, asked } = await validating({ object })
      expect(answer).toMatchObject({ allowed: false, code: 422 })
      expect(asked).toEqual([])
    },
  )
})

describe('deletion', () => {
  const forbidding = buildEvacuationOfWeb({
    status: { evacuationCancellationPolicy: 'Forbid', activeEvacuatorClass: 'a.example.com' },
  })
  const unnamed = buildEvacuationOfWeb({ status: { evacuationCancellationPolicy: 'Forbid' } })

  test.each<{ name: string; oldObject: unknown; pod: Pod | undefined; message?: string }>([
    {
      name: 'is refused under Forbid while the pod is there',
      oldObject: forbidding,
      pod: buildWeb(),
      message:
        'status.evacuationCancellationPolicy is "Forbid": the evacuator a.example.com cannot stop any more, so the Evacuation can be deleted once pod shop/web is gone, or the policy is Allow again',
    },
    {
      name: 'is refused without knowing the evacuator',
      oldObject: unnamed,
      pod: buildWeb(),
      message:
        'status.evacuationCancellationPolicy is "Forbid": its evacuator cannot stop any more, so the Evacuation can be deleted once pod shop/web is gone, or the policy is Allow again',
    },
    { name: 'passes when the pod is gone', oldObject: forbidding, pod: undefined },
    { name: 'passes when another pod has the name', oldObject: forbidding, pod: buildWeb({ uid: otherUid }) },
    { name: 'passes under Allow', oldObject: evacuation, pod: buildWeb() },
  ])('$name', async ({ oldObject, pod, message }) => {
    const { answer } = await validating({ operation: 'DELETE', name: '', oldObject }, { pod })
    expect(answer).toEqual(
      message === undefined ? { allowed: true } : { allowed: false, code: 403, reason: 'Forbidden', message },
    )
  })
})

describe('the progress timestamp', () => {
  const withProgress = (evacuationProgressTimestamp: unknown) =>
    buildEvacuationOfWeb({ status: { evacuationProgressTimestamp } })

  test.each([
    { name: 'now', value: '2026-01-01T00:00:00Z', allowed: true },
    { name: 'a minute ahead', value: '2026-01-01T00:01:00Z', allowed: true },
    { name: 'more than a minute ahead', value: '2026-01-01T00:01:00.001Z', allowed: false },
    { name: 'ahead in another time zone', value: '2026-01-01T00:00:00-01:00', allowed: false },
    { name: 'the past', value: '2025-01-01T00:00:00Z', allowed: true },
    { name: 'no time', value: 'soon', allowed: false },
    { name: 'none', value: undefined, allowed: true },
    { name: 'what the schema refuses', value: 7, allowed: true },
  ])('may be $name: $allowed', async ({ value, allowed }) => {
    const { answer } = await validating({
      operation: 'UPDATE',
      subResource: 'status',
      object: withProgress(value),
      oldObject: evacuation,
    })
    expect(answer.allowed).toBe(allowed)
  })

  test('that is refused is named, with the time that it is', async () => {
    const { answer } = await validating({
      operation: 'UPDATE',
      object: withProgress('2027-01-01T00:00:00Z'),
      oldObject: evacuation,
    })
    expect(answer).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message:
        'status.evacuationProgressTimestamp is "2027-01-01T00:00:00Z": must be a time, such as 2026-01-31T12:00:00Z, and must not lie more than 60 s in the future, and it is 2026-01-01T00:00:00.000Z now',
    })
  })

  test('is not held against who leaves it as it is', async () => {
    const old = withProgress('2027-01-01T00:00:00Z')
    const { answer } = await validating({ operation: 'UPDATE', object: structuredClone(old), oldObject: old })
    expect(answer).toEqual({ allowed: true })
  })
})
