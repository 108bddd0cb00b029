import { describe, expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { withoutMutatingPolicies } from '../../../test/build/without-mutating-policies.ts'
import { buildEvictTimePolicy } from '../../admission/policies/evict-time-policy.ts'
import { buildSecretPath } from '../../admission/serving/path-secret.ts'
import { featureGateDefaults, featureGateNames, type FeatureGate } from '../../api/feature-gates.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { admissionObjects } from './admission-objects.ts'
import { Registration, type RegistrarRights } from './registration.ts'

const evictionsPath =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/lifeboat-admission-evictions'

const evictTimePath =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/lifeboat-admission-evict-time'

const plurals = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]

function ground(rights: RegistrarRights, server = buildServer(), knowsPolicies = () => true) {
  const { transport, store, clock } = server
  const state = { timeout: '60s', host: 'here', off: new Set<FeatureGate>() }
  const registration = new Registration({
    rights,
    objects: (evictTimeBy) =>
      admissionObjects({
        evictTimeBy,
        controllerEvictTimeout: state.timeout,
        gates: { ...featureGateDefaults, ...Object.fromEntries([...state.off].map((gate) => [gate, false])) },
        namespace: 'lifeboat-system',
        client: (path) => ({ url: `https://${state.host}${path}`, caBundle: 'Y2E=' }),
      }),
  })
  const methods: string[] = []
  const noted: Transport = {
    request: (request) => {
      methods.push(request.method)
      return (knowsPolicies() ? transport : withoutMutatingPolicies(transport)).request(request)
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
  const evictTime = () => ({
    policy: store.get('mutatingadmissionpolicies.admissionregistration.k8s.io', 'lifeboat-evict-time'),
    binding: store.get('mutatingadmissionpolicybindings.admissionregistration.k8s.io', 'lifeboat-evict-time'),
    webhook: store.get('mutatingwebhookconfigurations.admissionregistration.k8s.io', 'lifeboat-admission-evict-time'),
  })
  return { server, state, registration, parts, methods, writes, names, evictions, evictTime }
}

const differing = { onlyWhereItDiffers: true }

describe('with an admin', () => {
  test('all is made, and left alone while it is as it should be', async () => {
    const { registration, parts, writes, server } = ground('createAndDelete')
    expect(await registration.establish(parts, differing)).toEqual([])
    expect(writes()).toEqual(Array.from({ length: 17 }, () => 'POST'))
    await registration.establish(parts, differing)
    expect(writes()).toHaveLength(17)
    await server.send('PATCH', evictionsPath, { webhooks: [] }, { contentType: 'application/merge-patch+json' })
    await registration.establish(parts, differing)
    expect(writes().slice(17)).toEqual(['PUT'])
  })

  test('everything is written at a start, where a look could miss what an older version left', async () => {
    const { registration, parts, writes } = ground('createAndDelete')
    await registration.establish(parts, { onlyWhereItDiffers: false })
    await registration.establish(parts, { onlyWhereItDiffers: false })
    expect(writes().slice(17)).toEqual(Array.from({ length: 17 }, () => 'PUT'))
  })

  test('what a gate rules out is taken out', async () => {
    const { registration, parts, names, evictions, state } = ground('createAndDelete')
    await registration.establish(parts, differing)
    state.off.add('EvictionInterception')
    await registration.establish(parts, differing)
    expect(evictions()).toBeUndefined()
    expect(names()).toHaveLength(16)
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
    expect(names()).toHaveLength(12)
  })

  test('webhooks that lead here by a former secret are withdrawn too', async () => {
    const { registration, parts, names, state } = ground('createAndDelete')
    state.host = `here${buildSecretPath('a'.repeat(64), '')}`
    await registration.establish(parts, differing)
    state.host = `here${buildSecretPath('b'.repeat(64), '')}`
    await registration.withdraw(parts)
    expect(names()).toHaveLength(12)
  })

  test('webhooks that lead to another by now are not withdrawn', async () => {
    const { registration, parts, names, state } = ground('createAndDelete')
    await registration.establish(parts, differing)
    state.host = 'elsewhere'
    await registration.withdraw(parts)
    expect(names()).toHaveLength(17)
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
      'MutatingWebhookConfiguration lifeboat-admission-evict-time',
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
    expect(admin.writes().slice(17)).toEqual(['PUT'])
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

describe('time for controllers is made', () => {
  const found = expect.objectContaining({ metadata: expect.anything() as unknown }) as unknown

  test('by a policy where the API server knows the kind, and else by a webhook, until it learns it', async () => {
    let isNewer = false
    const { registration, parts, evictTime } = ground('createAndDelete', buildServer(), () => isNewer)
    expect(await registration.establish(parts, differing)).toEqual([])
    expect(evictTime()).toEqual({ policy: undefined, binding: undefined, webhook: found })
    isNewer = true
    await registration.establish(parts, differing)
    expect(evictTime()).toEqual({ policy: found, binding: found, webhook: undefined })
  })

  test('by the webhook within a cluster where no policy was installed', async () => {
    const admin = ground('createAndDelete', buildServer(), () => false)
    await admin.registration.establish(admin.parts, differing)
    await admin.server.send('PATCH', evictTimePath, { webhooks: [] }, { contentType: 'application/merge-patch+json' })
    const { registration, parts } = ground('updateOnly', admin.server)
    expect(await registration.establish(parts, differing)).toEqual([])
    expect(admin.evictTime()).toMatchObject({ policy: undefined, webhook: { webhooks: [{ failurePolicy: 'Ignore' }] } })
  })

  test('by the policy alone where one was installed, with the timeout that the replica was told', async () => {
    const admin = ground('createAndDelete', buildServer(), () => false)
    await admin.registration.establish(admin.parts, differing)
    const newer = ground('createAndDelete', admin.server)
    for (const object of buildEvictTimePolicy('60s')) {
      const plural =
        object.kind === 'MutatingAdmissionPolicy' ? 'mutatingadmissionpolicies' : 'mutatingadmissionpolicybindings'
      await admin.server.send('POST', `/apis/admissionregistration.k8s.io/v1/${plural}`, object)
    }
    const { registration, parts, state } = ground('updateOnly', admin.server)
    state.timeout = '90s'
    expect(await registration.establish(parts, differing)).toEqual([])
    expect(newer.evictTime()).toMatchObject({ webhook: { webhooks: [] } })
    expect(JSON.stringify(newer.evictTime().policy)).toContain("'90s'")
    state.off.add('PodEvictPolicy')
    await registration.establish(parts, differing)
    expect(newer.evictTime().policy).toMatchObject({ spec: { matchConditions: [{ expression: 'false' }] } })
    state.off.clear()
    await registration.establish(parts, differing)
    expect(newer.evictTime().policy).toMatchObject({ spec: { matchConditions: [{ name: 'taken-over' }] } })
  })

  test('by nothing where a gate rules it out', async () => {
    const { registration, parts, evictTime, state } = ground('createAndDelete')
    await registration.establish(parts, differing)
    state.off.add('PodEvictPolicy')
    await registration.establish(parts, differing)
    expect(evictTime()).toEqual({ policy: undefined, binding: undefined, webhook: undefined })
  })
})
