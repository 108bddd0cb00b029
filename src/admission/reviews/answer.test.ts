import { expect, test } from 'vitest'
import { allowed, forbidden, invalid, renderReview, type Answer } from './answer.ts'

const patch = [{ op: 'add', path: '/spec/evacuators', value: [] }] as const

test.each<{ name: string; answer: Answer; response: object }>([
  { name: 'a yes', answer: allowed, response: { allowed: true } },
  {
    name: 'a yes with nothing to change',
    answer: { allowed: true, patch: [], warnings: [] },
    response: { allowed: true },
  },
  {
    name: 'a yes with a change and a warning',
    answer: { allowed: true, patch, warnings: ['careful'] },
    response: {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      warnings: ['careful'],
    },
  },
  {
    name: 'a missing right',
    answer: forbidden('no'),
    response: { allowed: false, status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'no' } },
  },
  {
    name: 'a mistake',
    answer: invalid('no'),
    response: { allowed: false, status: { status: 'Failure', code: 422, reason: 'Invalid', message: 'no' } },
  },
])('$name', ({ answer, response }) => {
  expect(renderReview('u', answer)).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', ...response },
  })
})
