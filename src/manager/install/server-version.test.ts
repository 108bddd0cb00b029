import { expect, test } from 'vitest'
import type { Transport } from '../../kube/client/transport.ts'
import { checkServerVersion, isNewEnough } from './server-version.ts'

test.each([
  ['v1.32.0', true],
  ['v1.37.1', true],
  ['v1.33.4-gke.100', true],
  ['v2.0.0', true],
  ['v1.31.9', false],
  ['v1.9.0', false],
  ['', false],
  ['latest', false],
])('Kubernetes %s is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected)
})

const answering = (status: number, body: unknown) =>
  ({ request: async () => ({ status, headers: {}, body }) }) as unknown as Transport

test('an old server is refused with what is needed', async () => {
  expect(await checkServerVersion(answering(200, { gitVersion: 'v1.37.1' }))).toBe('v1.37.1')
  await expect(checkServerVersion(answering(200, { gitVersion: 'v1.31.2' }))).rejects.toThrow(
    'this is Kubernetes v1.31.2; Lifeboat needs 1.32 or newer',
  )
  await expect(checkServerVersion(answering(200, {}))).rejects.toThrow('of an unknown version')
  await expect(checkServerVersion(answering(403, {}))).rejects.toThrow('403 at /version')
})

test.each([
  { status: 401, why: 'unauthorized' },
  { status: 403, why: 'silent' },
  { status: 429, why: 'failing' },
  { status: 503, why: 'failing' },
])('an answer $status at /version is $why', async ({ status, why }) => {
  await expect(checkServerVersion(answering(status, {}))).rejects.toMatchObject({ why })
})
