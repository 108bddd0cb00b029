import { describe, expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Manifest } from '../../api/kubernetes/meta.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { applyObject, nameOf, readObject, removeObject } from './apply.ts'
import { resourceOf } from '../manifests/resources.ts'

const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/lifeboat'
const wanted = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'lifeboat', labels: { ours: '1' } },
  rules: [{ verbs: ['get'] }],
} satisfies Manifest & { rules: unknown }

const older = { ...wanted, rules: [] }

function ground() {
  const clock = new VirtualClock()
  const api = new FakeApi()
  return { clock, api, parts: { kube: buildKube(api, clock), clock } }
}

describe('applying', () => {
  test('makes what is not there', async () => {
    const { api, parts } = ground()
    expect(await applyObject(parts, wanted)).toBe('created')
    expect(api.objects.get(path)).toMatchObject(wanted)
  })

  test('puts ours over what is there, and keeps what others wrote', async () => {
    const { api, parts } = ground()
    api.put(path, { ...older, metadata: { name: 'lifeboat', labels: { theirs: '1' } } })
    expect(await applyObject(parts, wanted)).toBe('updated')
    expect(api.objects.get(path)).toMatchObject({
      metadata: { labels: { theirs: '1', ours: '1' } },
      rules: wanted.rules,
    })
  })

  test('goes on when another was faster', async () => {
    const { api, parts } = ground()
    let first = true
    api.fault = ({ method }) => {
      if (method !== 'POST' || !first) return undefined
      first = false
      api.put(path, older)
      return undefined
    }
    expect(await applyObject(parts, wanted)).toBe('updated')
  })

  test('waits for one that is on its way out', async () => {
    const { api, clock, parts } = ground()
    const leaving = { ...wanted, metadata: { ...wanted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    api.put(path, leaving)
    const applying = applyObject(parts, wanted)
    await clock.advance(1_000)
    api.remove(path)
    await clock.advance(1_000)
    expect(await applying).toBe('created')
  })

  test('says so when one on its way out does not go', async () => {
    const { api, clock, parts } = ground()
    api.put(path, { ...wanted, metadata: { ...wanted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
    const applying = applyObject(parts, wanted).catch(String)
    await clock.advance(70_000)
    expect(await applying).toContain('clusterroles/lifeboat is being deleted and does not go')
  })

  test.each([
    ['GET', 'get'],
    ['POST', 'create'],
  ])('a right that is missing is named: %s', async (method, verb) => {
    const { api, parts } = ground()
    api.fault = (request) =>
      request.method === method ? failure(403, 'Forbidden', 'user "dev" cannot do that') : undefined
    await expect(applyObject(parts, wanted)).rejects.toThrow(
      `the credentials given may not ${verb} clusterroles/lifeboat: user "dev" cannot do that`,
    )
  })
})

describe('removing', () => {
  test('takes out this one, and is content if it is gone, or if another has its name', async () => {
    const { transport, clock } = buildServer()
    const parts = { kube: buildKube(transport, clock), clock }
    const resource = resourceOf(wanted)
    await applyObject(parts, wanted)
    const existing = await readObject(parts, resource, { name: 'lifeboat' })
    expect(await removeObject(parts, resource, { ...wanted, metadata: { name: 'lifeboat', uid: 'another' } })).toBe(
      false,
    )
    expect(await removeObject(parts, resource, existing ?? wanted)).toBe(true)
    expect(await removeObject(parts, resource, existing ?? wanted)).toBe(false)
    expect(await readObject(parts, resource, { name: 'lifeboat' })).toBeUndefined()
  })
})

test('an object is named with its namespace where it has one', () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a', namespace: 'b' } }
  expect(nameOf(resourceOf(role), role)).toBe('roles/a in namespace b')
  expect(nameOf(resourceOf(wanted), wanted)).toBe('clusterroles/lifeboat')
})
