import { describe, expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { maintain, selectNodes } from '../../../test/build/maintenance.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { install, installationObjects, missingParts } from './install.ts'
import { installation, userOfServiceAccount } from './installation-names.ts'

const { namespace } = installation
const account = { name: userOfServiceAccount(namespace), groups: ['system:authenticated'] }

describe('installing', () => {
  test('puts in everything that Lifeboat stands on, all of it labelled', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, namespace))
    const { store } = ground.cluster
    expect(store.get('namespaces', namespace)).toBeDefined()
    expect(store.get('serviceaccounts', `${namespace}/lifeboat`)).toBeDefined()
    expect(store.count('customresourcedefinitions.apiextensions.k8s.io')).toBe(2)
    expect(
      store.get('validatingadmissionpolicies.admissionregistration.k8s.io', 'lifeboat-evacuation-rights'),
    ).toBeDefined()
    expect(
      store.get('validatingadmissionpolicybindings.admissionregistration.k8s.io', 'lifeboat-evacuation-rights'),
    ).toBeDefined()
    const unlabelled = installationObjects(namespace).filter(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] !== 'lifeboat',
    )
    expect(unlabelled).toEqual([])
  })

  test('a second time changes nothing, and keeps what others added', async () => {
    await using ground = await openLifeboatGround()
    const { store } = ground.cluster
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/lifeboat'
    await ground.until(
      ground.adminTransport.request({
        method: 'PATCH',
        path,
        body: { metadata: { labels: { team: 'nodes' } } },
        headers: { 'content-type': 'application/merge-patch+json' },
      }),
    )
    await ground.pass(1_000)
    const before = store.revision
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, namespace))
    expect(store.revision).toBe(before)
    const role = store.get('clusterroles.rbac.authorization.k8s.io', 'lifeboat')
    expect(role?.metadata.labels).toMatchObject({ team: 'nodes', 'app.kubernetes.io/name': 'lifeboat' })
  })

  test('definitions that were deleted while no Lifeboat ran are let go, and put in again', async () => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const lifeboat = await ground.open()
    await ground.until(lifeboat.manager.ready())
    const pod = await ground.createPod('cart', {
      'evacuation.coordination.k8s.io/priority_patience.example.com': '100',
    })
    await maintain(ground, 'upgrade', selectNodes('nowhere'))
    await ground.evacuate(pod)
    await ground.pass(2_000)
    lifeboat.kill()
    const { store } = ground.cluster
    const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
    const before = store.list(definitions).map(({ metadata }) => metadata.uid)
    for (const { metadata } of store.list(definitions)) {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`
      await ground.until(ground.adminTransport.request({ method: 'DELETE', path }))
    }
    await ground.pass(5_000)
    expect(store.list(definitions).map(({ metadata }) => metadata.uid)).toEqual(before)
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, namespace))
    const after = store.list(definitions).map(({ metadata }) => metadata.uid)
    expect(after).toHaveLength(2)
    expect(after.filter((uid) => before.includes(uid))).toEqual([])
    expect(ground.podNames()).toEqual(['cart'])
  })

  test('somebody without the rights is told which one lacks', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    const kube = buildKube(ground.cluster.transport({ name: 'dev', groups: ['system:authenticated'] }), ground.clock)
    await expect(ground.until(install({ kube, clock: ground.clock }, namespace))).rejects.toThrow(
      'may not get validatingadmissionpolicies/lifeboat-evacuation-rights',
    )
  })
})

describe('what a replica misses', () => {
  test('is nothing where all is installed', async () => {
    await using ground = await openLifeboatGround()
    const opened = await ground.open()
    await ground.until(opened.manager.ready())
    const kube = buildKube(ground.cluster.transport(account), ground.clock)
    expect(await ground.until(missingParts({ kube, clock: ground.clock }, namespace, featureGateDefaults))).toEqual([])
  })

  test('is named: webhooks and policies', async () => {
    await using ground = await openLifeboatGround()
    const kube = buildKube(ground.cluster.transport(account), ground.clock)
    expect(await ground.until(missingParts({ kube, clock: ground.clock }, namespace, featureGateDefaults))).toEqual([
      'the ValidatingAdmissionPolicy lifeboat-evacuator-annotations',
      'the ValidatingAdmissionPolicy lifeboat-evict-policy',
      'the ValidatingAdmissionPolicy lifeboat-cordon',
      'the MutatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'the ValidatingWebhookConfiguration lifeboat-admission-node-maintenances',
      'the MutatingWebhookConfiguration lifeboat-admission-daemon-set-pods',
      'the MutatingWebhookConfiguration lifeboat-admission-evict-time',
      'the ValidatingWebhookConfiguration lifeboat-admission-evictions',
      'the MutatingWebhookConfiguration lifeboat-admission-evacuations',
    ])
  })

  test('is named: the rights themselves', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    const kube = buildKube(ground.cluster.transport(account), ground.clock)
    const missing = await ground.until(missingParts({ kube, clock: ground.clock }, namespace, featureGateDefaults))
    expect(missing.join(', ')).toContain('rights of the service account (')
  })
})
