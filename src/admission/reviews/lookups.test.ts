import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { KubeError } from '../../kube/client/errors.ts'
import { kubeLookups } from './lookups.ts'

const { signal } = new AbortController()

test('finds what is there, and nothing where there is nothing', async () => {
  const { transport, clock, send } = buildServer()
  await send('POST', '/api/v1/namespaces/shop/pods', {
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
  const lookups = kubeLookups(buildKube(transport, clock))
  expect(await lookups.pod({ namespace: 'shop', name: 'web' }, signal)).toMatchObject({ metadata: { name: 'web' } })
  expect(await lookups.pod({ namespace: 'shop', name: 'other' }, signal)).toBeUndefined()
  await send('POST', '/api/v1/nodes', { metadata: { name: 'six' } })
  expect(await lookups.node('six', signal)).toMatchObject({ metadata: { name: 'six' } })
  expect(await lookups.node('seven', signal)).toBeUndefined()
  // A cluster without the CRD has no Evacuation either.
  expect(await lookups.evacuation({ namespace: 'shop', name: 'web' }, signal)).toBeUndefined()
})

test('a server that does not answer is not taken for a missing object', async () => {
  const get = async () => {
    throw new KubeError('gone fishing', { kind: 'unreachable' })
  }
  const lookups = kubeLookups({ get })
  await expect(lookups.pod({ namespace: 'shop', name: 'web' }, signal)).rejects.toThrow('gone fishing')
})
