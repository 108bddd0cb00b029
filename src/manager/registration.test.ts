import { describe, expect, test } from 'vitest'
import { buildServer } from '../../test/build/embedded-server.ts'
import { buildKube } from '../../test/build/kube.ts'
import { buildSecretPath } from '../admission/path-secret.ts'
import { featureGateDefaults, featureGateNames, type FeatureGate } from '../api/feature-gates.ts'
import type { Transport } from '../kube/transport.ts'
import { admissionObjects } from './admission-objects.ts'
import { Registration, type RegistrarRights } from './registration.ts'

const evictionsPath =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/lifeboat-admission-evictions'

const plurals = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]

function ground(rights: RegistrarRights, server = buildServer()) {
  const { transport, store, clock } = server
  const state = { host: 'here', off: new Set<FeatureGate>() }
  const registration = new Registration({
    rights,
    objects: () =>
      admissionObjects({
        gates: { ...featureGateDefaults, ...Object.fromEntries([...state.off].map((gate) => [gate, false])) },
        namespace: 'lifeboat-system',
        client: (path) => ({ url: `https://${state.host}${path}`, caBundle: 'Y2E=' }),
      }),
  })
  const methods: string[] = []
  const noted: Transport = {
    request: (request) => {
      methods.push(request.method)
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
  const parts = { kube: buildKube(noted, clock), clock }
  const writes = () => methods.filter((method) => method !== 'GET')
  const names = () =>
    plurals.flatMap((plural) => store.list(`${plural}.admissionregistration.k8s.io`).map(() => plural))
  const evictions = () =>
    store.get('validatingwebhookconfigurations.admissionregistration.k8s.io', 'lifeboat-admission-evictions')
  return { server, state, registration, parts, methods, writes, names, evictions }
}

const differing = { onlyWhereItDiffers: true }

describe('with an admin', () => {
  test('all is made, and left alone while it is as it should be', async () => {
    const { registration, parts, writes, server } = ground('createAndDelete')
    expect(await registration.establish(parts, differing)).toEqual([])
    expect(writes()).toEqual(Array.from({ length: 15 }, () => 'POST'))
    await registration.establish(parts, differing)
    expect(writes()).toHaveLength(15)
    await server.send('PATCH', evictionsPath, { webhooks: [] }, { contentType: 'application/merge-patch+json' })
    await registration.establish(parts, differing)
    expect(writes().slice(15)).toEqual(['PUT'])
  })

  test('everything is written at a start, where a look could miss what an older version left', async () => {
    const { registration, parts, writes } = ground('createAndDelete')
    await registration.establish(parts, { onlyWhereItDiffers: false })
    await registration.establish(parts, { onlyWhereItDiffers: false })
    expect(writes().slice(15)).toEqual(Array.from({ length: 15 }, () => 'PUT'))
  })

  test('what a gate rules out is taken out', async () => {
    const { registration, parts, names, evictions, state } = ground('createAndDelete')
    await registration.establish(parts, differing)
    state.off.add('EvictionInterception')
    await registration.establish(parts, differing)
    expect(evictions()).toBeUndefined()
    expect(names()).toHaveLength(14)
  })

  test('what a former release left is removed at a start, if it is its own', async () => {
    const { registration, parts, writes, server } = ground('createAndDelete')
    const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
    const labels = { 'app.kubernetes.io/managed-by': 'lifeboat' }
    await server.send('POST', configurations, { metadata: { name: 'lifeboat-evacuations', labels } })
    await server.send('POST', configurations, { metadata: { name: 'lifeboat-daemon-set-pods' } })
    await registration.establish(parts, differing)
    expect(writes()).not.toContain('DELETE')
    await registration.establish(parts, { onlyWhereItDiffers: false })
    expect(writes().filter((method) => method === 'DELETE')).toHaveLength(1)
    expect((await server.send('GET', `${configurations}/lifeboat-evacuations`)).status).toBe(404)
    expect((await server.send('GET', `${configurations}/lifeboat-daemon-set-pods`)).status).toBe(200)
  })

  test('withdrawing takes out webhooks that lead here, and no policies', async () => {
    const { registration, parts, names } = ground('createAndDelete')
    await registration.establish(parts, differing)
    await registration.withdraw(parts)
    expect(names().filter((plural) => plural.includes('webhook'))).toEqual([])
    expect(names()).toHaveLength(10)
  })

  test('webhooks that lead here by a former secret are withdrawn too', async () => {
    const { registration, parts, names, state } = ground('createAndDelete')
    state.host = `here${buildSecretPath('a'.repeat(64), '')}`
    await registration.establish(parts, differing)
    state.host = `here${buildSecretPath('b'.repeat(64), '')}`
    await registration.withdraw(parts)
    expect(names()).toHaveLength(10)
  })

  test('webhooks that lead to another by now are not withdrawn', async () => {
    const { registration, parts, names, state } = ground('createAndDelete')
    await registration.establish(parts, differing)
    state.host = 'elsewhere'
    await registration.withdraw(parts)
    expect(names()).toHaveLength(15)
  })
})

test('no gate takes out who may write an Evacuation, or what limits its own account', async () => {
  const admin = ground('createAndDelete')
  for (const gate of featureGateNames) admin.state.off.add(gate)
  await admin.registration.establish(admin.parts, differing)
  const policies = ['validatingadmissionpolicies', 'validatingadmissionpolicies']
  expect(admin.names()).toEqual([...policies, 'validatingadmissionpolicybindings', 'validatingadmissionpolicybindings'])
  const before = admin.writes().length
  const replica = ground('updateOnly', admin.server)
  for (const gate of featureGateNames) replica.state.off.add(gate)
  await replica.registration.establish(replica.parts, differing)
  expect([admin.writes().length, replica.writes()]).toEqual([before, []])
})

describe('with the right to change and no other', () => {
  test('what lacks is named, and not made', async () => {
    const { registration, parts, writes } = ground('updateOnly')
    expect(await registration.establish(parts, differing)).toEqual([
      'ValidatingAdmissionPolicy lifeboat-evacuation-rights',
      'ValidatingAdmissionPolicy lifeboat-evacuator-annotations',
      'ValidatingAdmissionPolicy lifeboat-evict-policy',
      'ValidatingAdmissionPolicy lifeboat-cordon',
      'MutatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'ValidatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods',
      'ValidatingWebhookConfiguration lifeboat-admission-evictions',
      'MutatingWebhookConfiguration lifeboat-admission-evacuations',
    ])
    expect(writes()).toEqual([])
  })

  test('a gate that is off empties what it ruled out, once, and on again fills it', async () => {
    const admin = ground('createAndDelete')
    await admin.registration.establish(admin.parts, differing)
    const { registration, state } = ground('updateOnly', admin.server)
    state.off.add('EvictionInterception')
    await registration.establish(admin.parts, differing)
    await registration.establish(admin.parts, differing)
    expect(admin.evictions()).toMatchObject({ webhooks: [] })
    expect(admin.writes().slice(15)).toEqual(['PUT'])
    state.off.clear()
    await registration.establish(admin.parts, differing)
    expect(admin.evictions()).toHaveProperty('webhooks.length', 1)
  })

  test('the labels of whoever installed stay: Helm has its own', async () => {
    const admin = ground('createAndDelete')
    await admin.registration.establish(admin.parts, differing)
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' }
    const merge = { contentType: 'application/merge-patch+json' }
    await admin.server.send('PATCH', evictionsPath, { metadata: { labels } }, merge)
    const { registration, state } = ground('updateOnly', admin.server)
    await registration.establish(admin.parts, { onlyWhereItDiffers: false })
    expect(admin.evictions()).toMatchObject({ metadata: { labels } })
    state.off.add('EvictionInterception')
    await registration.establish(admin.parts, differing)
    expect(admin.evictions()).toMatchObject({ metadata: { labels }, webhooks: [] })
  })

  test('nothing is withdrawn: the next replica answers under the same name', async () => {
    const { registration, parts, methods } = ground('updateOnly')
    await registration.withdraw(parts)
    expect(methods).toEqual([])
  })
})
