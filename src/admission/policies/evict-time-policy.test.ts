import { expect, test } from 'vitest'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import {
  badTimeouts,
  evictTimeRows,
  mirrorRow,
  podOf,
  timeOf,
  type EvictTimeRow,
} from '../../../test/scenarios/evict-time.ts'
import { buildEvictTimePolicy } from './evict-time-policy.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'

async function created(row: Pick<EvictTimeRow, 'metadata' | 'tolerations'>) {
  const { send } = buildServer()
  const [policy, binding] = buildEvictTimePolicy('1m')
  expect(said(await send('POST', `${registration}/mutatingadmissionpolicies`, policy))).toBe('201')
  expect(said(await send('POST', `${registration}/mutatingadmissionpolicybindings`, binding))).toBe('201')
  const { body } = await send('POST', '/api/v1/namespaces/shop/pods', podOf(row))
  return timeOf(body as object)
}

test.each([...evictTimeRows, mirrorRow])('a pod $name', async ({ seconds, added, ...row }) => {
  expect(await created(row)).toEqual({ seconds, added })
})

test.each(badTimeouts)('the timeout %j counts as none, and is left to the check that refuses it', async (timeout) => {
  const [{ metadata }] = evictTimeRows as [EvictTimeRow]
  const { annotations } = metadata as { annotations: object }
  const asking = { ...metadata, annotations: { ...annotations, 'kubernetes.io/evict-timeout': timeout } }
  expect(await created({ metadata: asking })).toEqual({ seconds: [360, 360], added: '60' })
})

test('a failure of it refuses nothing', () => {
  expect(buildEvictTimePolicy('1m')[0].spec.failurePolicy).toBe('Ignore')
})
