import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { configMaps, leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { WatchEvent } from '../watch/watch-event.ts'
import type { TransportRequest } from './transport.ts'

/** A server that notes what it is asked and answers with some object. */
function setUp() {
  const api = new FakeApi()
  api.fault = () => ({ status: 200, headers: {}, body: { metadata: { name: 'some', uid: 'u' } } })
  const sent = (): TransportRequest => {
    const request = api.requests.at(-1)
    if (request === undefined) throw new Error('nothing was sent')
    return request
  }
  return { api, kube: buildKube(api, new VirtualClock()), sent }
}

const cart = { namespace: 'shop', name: 'cart' }

describe('the verbs', () => {
  test('get, also of a subresource', async () => {
    const { kube, sent } = setUp()
    await kube.get(pods, cart, { subresource: 'status' })
    expect(sent()).toMatchObject({ method: 'GET', path: '/api/v1/namespaces/shop/pods/cart/status' })
  })

  test('an answer without an identity is taken for nothing that is stored', async () => {
    const { api, kube } = setUp()
    api.fault = () => ({ status: 200, headers: {}, body: { metadata: { name: 'cart' } } })
    await expect(kube.get(pods, cart)).rejects.toThrow('has a UID, and cart has none')
  })

  test('create says which kind it is', async () => {
    const { kube, sent } = setUp()
    await kube.create(leases, { metadata: cart }, { dryRun: true })
    expect(sent()).toMatchObject({
      method: 'POST',
      path: '/apis/coordination.k8s.io/v1/namespaces/shop/leases',
      query: { dryRun: 'All' },
      body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: cart },
    })
  })

  test('replace carries the version that it replaces', async () => {
    const { kube, sent } = setUp()
    const object = { metadata: { ...cart, uid: 'u', resourceVersion: '7' }, data: { a: 'b' } }
    await kube.replace(configMaps, object, { subresource: 'status' })
    expect(sent()).toMatchObject({
      method: 'PUT',
      path: '/api/v1/namespaces/shop/configmaps/cart/status',
      body: object,
    })
  })

  test.each([
    { type: 'json', body: [], contentType: 'application/json-patch+json' },
    { type: 'merge', body: {}, contentType: 'application/merge-patch+json' },
    { type: 'strategic', body: {}, contentType: 'application/strategic-merge-patch+json' },
  ] as const)('patch of type $type', async ({ contentType, ...patch }) => {
    const { kube, sent } = setUp()
    await kube.patch(nodes, { name: 'one' }, patch)
    expect(sent()).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/nodes/one',
      headers: { 'content-type': contentType },
      body: patch.body,
    })
  })

  test('apply says who applies, and overrules others', async () => {
    const { kube, sent } = setUp()
    await kube.apply(nodes, { metadata: { name: 'one' } }, { fieldManager: 'tests', dryRun: true })
    expect(sent()).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/nodes/one',
      query: { fieldManager: 'tests', force: 'true', dryRun: 'All' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' } },
    })
  })

  test('delete sends its preconditions', async () => {
    const { kube, sent } = setUp()
    await kube.delete(pods, cart, { preconditions: { uid: 'abc' }, gracePeriodSeconds: 0, dryRun: true })
    expect(sent()).toMatchObject({
      method: 'DELETE',
      body: { kind: 'DeleteOptions', preconditions: { uid: 'abc' }, gracePeriodSeconds: 0, dryRun: ['All'] },
    })
    expect(sent().body).not.toHaveProperty('signal')
  })

  test('what has a label is deleted by one request, which is answered with its metadata alone', async () => {
    const { kube, sent } = setUp()
    await kube.deleteSelected(configMaps, { namespace: 'shop', labelSelector: 'old=true' })
    expect(sent()).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/namespaces/shop/configmaps',
      query: { labelSelector: 'old=true' },
      headers: { accept: expect.stringContaining('PartialObjectMetadataList') },
    })
  })

  test('bind', async () => {
    const { kube, sent } = setUp()
    await kube.bind(cart, 'one')
    expect(sent()).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods/cart/binding',
      body: { target: { name: 'one' } },
    })
  })
})

describe('evict', () => {
  const pod = { ...cart, uid: 'abc' }

  test('names the UID, and a dry run in both places', async () => {
    const { kube, sent } = setUp()
    expect(await kube.evict(pod, { dryRun: true, gracePeriodSeconds: 5 })).toEqual({ kind: 'accepted' })
    expect(sent()).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods/cart/eviction',
      query: { dryRun: 'All' },
      body: {
        kind: 'Eviction',
        metadata: cart,
        deleteOptions: { preconditions: { uid: 'abc' }, gracePeriodSeconds: 5, dryRun: ['All'] },
      },
    })
  })

  test('carries annotations for the admission of the cluster', async () => {
    const { kube, sent } = setUp()
    await kube.evict(pod, { annotations: { 'example.com/by': 'me' } })
    expect(sent()).toMatchObject({ body: { metadata: { ...cart, annotations: { 'example.com/by': 'me' } } } })
  })

  test('a refusal is an answer and is not repeated', async () => {
    const { api, kube } = setUp()
    const causes = [
      { reason: 'DisruptionBudget', message: 'The disruption budget web needs 1 healthy pods and has 1 currently' },
    ]
    api.fault = () => failure(429, 'TooManyRequests', 'Cannot evict pod', { causes })
    expect(await kube.evict(pod)).toMatchObject({ kind: 'refused', by: { budget: 'web', needed: 1, healthy: 1 } })
    expect(api.requests).toHaveLength(1)
  })

  test('a missing right is an answer, too', async () => {
    const { api, kube } = setUp()
    api.fault = () => failure(403, 'Forbidden', 'User "x" cannot create resource "pods/eviction"')
    expect(await kube.evict(pod)).toMatchObject({ kind: 'refused', by: { kind: 'evictionForbidden' } })
  })
})

describe('list', () => {
  const filled = (count: number) => {
    const api = new FakeApi()
    for (let at = 0; at < count; at++) api.put(`/api/v1/nodes/n${at}`, { metadata: { name: `n${at}` } })
    return { api, kube: buildKube(api, new VirtualClock()) }
  }

  test('brings everything together from its pages, as of one version', async () => {
    const { api, kube } = filled(25)
    const { items, resourceVersion } = await kube.list(nodes, { pageSize: 10, labelSelector: 'zone=a' })
    expect(items.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: 25 }, (_, at) => `n${at}`))
    expect(resourceVersion).toBe('125')
    expect(api.requests.map(({ query }) => query)).toEqual([
      { labelSelector: 'zone=a', limit: '10' },
      { labelSelector: 'zone=a', limit: '10', continue: '125:10' },
      { labelSelector: 'zone=a', limit: '10', continue: '125:20' },
    ])
  })

  test('begins anew when the server forgot the version on the way', async () => {
    const { api, kube } = filled(25)
    let pages = 0
    api.fault = () => {
      if (++pages === 2) {
        api.put('/api/v1/nodes/late', { metadata: { name: 'late' } })
        api.compact()
      }
      return undefined
    }
    const { items } = await kube.list(nodes, { pageSize: 10 })
    expect(items).toHaveLength(26)
  })

  test('gives up when it never gets to the end', async () => {
    const { api, kube } = filled(25)
    api.fault = ({ query }) => (query?.['continue'] === undefined ? undefined : failure(410, 'Expired', 'too old'))
    await expect(kube.list(nodes, { pageSize: 10 })).rejects.toMatchObject({ kind: 'expired' })
  })
})

test('watch tells what changed, and an ERROR event is thrown', async () => {
  const { api, kube } = setUp()
  const node = { metadata: { name: 'one', resourceVersion: '5' } }
  api.watch = async () => ({
    kind: 'stream',
    events: (async function* events() {
      for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']) yield { type, object: node }
      yield { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } }
    })(),
  })
  const seen: WatchEvent<KubernetesObject>['kind'][] = []
  const read = async () => {
    for await (const event of kube.watch(nodes, { resourceVersion: '1', timeoutSeconds: 60 })) seen.push(event.kind)
  }
  await expect(read()).rejects.toMatchObject({ kind: 'expired' })
  expect(seen).toEqual(['added', 'modified', 'deleted', 'bookmark'])
})
