import { describe, expect, test } from 'vitest'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'
import { noAdmission, type AdmissionRequest } from '../admission/admission.ts'

const pods = '/api/v1/namespaces/shop/pods'
const configMaps = '/api/v1/namespaces/shop/configmaps'
const pod = (extra: object = {}) => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...extra },
})

describe('deleting a pod', () => {
  test('that runs marks it, with its own grace period', async () => {
    const { send, store } = buildServer()
    await send('POST', pods, pod({ nodeName: 'one', terminationGracePeriodSeconds: 45 }))
    const { status, body } = await send('DELETE', `${pods}/a`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'Pod',
      metadata: { deletionTimestamp: '2026-01-01T00:00:45Z', deletionGracePeriodSeconds: 45 },
    })
    expect(store.get('pods', 'shop/a')).toBeDefined()
  })

  test('again can only shorten what is left', async () => {
    const { send, store } = buildServer()
    await send('POST', pods, pod({ nodeName: 'one' }))
    await send('DELETE', `${pods}/a`)
    await send('DELETE', `${pods}/a`, { gracePeriodSeconds: 60 })
    expect(store.get('pods', 'shop/a')?.metadata.deletionGracePeriodSeconds).toBe(30)
    await send('DELETE', `${pods}/a`, { gracePeriodSeconds: 5 })
    expect(store.get('pods', 'shop/a')?.metadata.deletionGracePeriodSeconds).toBe(5)
    await send('DELETE', `${pods}/a`, { gracePeriodSeconds: 0 })
    expect(store.get('pods', 'shop/a')).toBeUndefined()
  })

  test('that never ran takes it away at once, and answers with the pod', async () => {
    const { send, store } = buildServer()
    await send('POST', pods, pod())
    expect((await send('DELETE', `${pods}/a`)).body).toMatchObject({ kind: 'Pod' })
    expect(store.count('pods')).toBe(0)
  })
})

describe('deleting', () => {
  test('what has no finalizer answers with a Status', async () => {
    const { send } = buildServer()
    await send('POST', configMaps, { metadata: { name: 'a' } })
    expect((await send('DELETE', `${configMaps}/a`)).body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', kind: 'configmaps' },
    })
    expect(said(await send('DELETE', `${configMaps}/a`))).toBe('404 NotFound: configmaps "a" not found')
  })

  test.each([
    { policy: 'Foreground', finalizers: ['example.com/hold', 'foregroundDeletion'] },
    { policy: 'Orphan', finalizers: ['example.com/hold', 'orphan'] },
    { policy: 'Background', finalizers: ['example.com/hold'] },
  ])('with $policy leaves the finalizers $finalizers', async ({ policy, finalizers }) => {
    const { send, store } = buildServer()
    await send('POST', configMaps, { metadata: { name: 'a', finalizers: ['example.com/hold'] } })
    await send('DELETE', `${configMaps}/a`, { propagationPolicy: policy })
    expect(store.get('configmaps', 'shop/a')?.metadata.finalizers).toEqual(finalizers)
  })

  test.each([
    {
      preconditions: { uid: 'other' },
      expected: /409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(other\)/,
    },
    {
      preconditions: { resourceVersion: '1' },
      expected: /409 Conflict: .*the ResourceVersion in the precondition \(1\)/,
    },
  ])('under the precondition $preconditions is refused', async ({ preconditions, expected }) => {
    const { send, store } = buildServer()
    await send('POST', configMaps, { metadata: { name: 'a' } })
    expect(said(await send('DELETE', `${configMaps}/a`, { preconditions }))).toMatch(expected)
    expect(store.count('configmaps')).toBe(1)
  })

  test('a namespace only marks it: until its own finalizer goes nothing begins in it, and with that it goes', async () => {
    const { send, store } = buildServer()
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'bakery' } })
    for (let times = 0; times < 2; times++) {
      expect((await send('DELETE', '/api/v1/namespaces/bakery')).body).toMatchObject({
        metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
        status: { phase: 'Terminating' },
      })
    }
    expect(said(await send('POST', '/api/v1/namespaces/bakery/configmaps', { metadata: { name: 'b' } }))).toContain(
      'configmaps "b" is forbidden: unable to create new content in namespace bakery because it is being terminated',
    )
    const contentType = 'application/merge-patch+json'
    await send('PATCH', '/api/v1/namespaces/bakery', { spec: { finalizers: [] } }, { contentType })
    expect(store.get('namespaces', 'bakery')).toBeUndefined()
  })

  test('as a dry run changes nothing', async () => {
    const { send, store } = buildServer()
    await send('POST', configMaps, { metadata: { name: 'a' } })
    const before = store.revision
    expect((await send('DELETE', `${configMaps}/a`, undefined, { query: { dryRun: 'All' } })).status).toBe(200)
    expect(store.revision).toBe(before)
  })

  test('a collection deletes what the selector matches', async () => {
    const { send, store } = buildServer()
    for (const name of ['a', 'b']) await send('POST', configMaps, { metadata: { name, labels: { name } } })
    await send('DELETE', configMaps, undefined, { query: { labelSelector: 'name=a' } })
    expect(store.list('configmaps').map(({ metadata }) => metadata.name)).toEqual(['b'])
  })

  test('a collection names no object to admission, which sees each of them', async () => {
    const seen: unknown[] = []
    const admission = {
      ...noAdmission,
      validate: async ({ operation, name, oldObject }: AdmissionRequest) => {
        if (operation === 'DELETE') seen.push([name, oldObject?.metadata.name])
      },
    }
    const { send } = buildServer({ admission })
    for (const name of ['a', 'b', 'c']) await send('POST', configMaps, { metadata: { name } })
    await send('DELETE', `${configMaps}/c`)
    await send('DELETE', configMaps)
    expect(seen).toEqual([
      ['c', 'c'],
      [undefined, 'a'],
      [undefined, 'b'],
    ])
  })
})
