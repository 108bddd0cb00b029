import { describe, expect, test } from 'vitest'
import { createDaemonSet, maintenanceOf } from '../../../test/build/daemon-set-under-maintenance.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { resourceId } from '../../embedded/server/definition.ts'
import { applyObject } from './apply.ts'
import { everyObject, install } from './install.ts'
import { installation } from './installation-names.ts'
import { uninstall } from './uninstall.ts'

const { namespace } = installation

/** Everything there is, by name. What was told in Events goes by itself after an hour. */
function inventory({ cluster }: LifeboatGround): string[] {
  return cluster.definitions
    .all()
    .map((definition) => resourceId(definition))
    .filter((id) => !id.startsWith('events'))
    .flatMap((id) => cluster.store.list(id).map(({ metadata }) => `${id} ${metadata.namespace ?? ''}/${metadata.name}`))
    .toSorted()
}

async function takeOut(ground: LifeboatGround, force = false, releaseOnly = false): Promise<string[]> {
  const lines: string[] = []
  const options = { namespace, force, releaseOnly, print: (line: string) => void lines.push(line) }
  const wasThere = await ground.until(uninstall({ kube: ground.admin, clock: ground.clock }, options), 300_000)
  return wasThere ? lines : ['nothing']
}

describe('uninstalling', () => {
  test('leaves nothing of what Lifeboat put in, whatever it was doing', async () => {
    await using ground = await openLifeboatGround({ installed: false, nodes: 1 })
    await ground.pass(5_000)
    const before = inventory(ground)
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, namespace))
    const opened = await ground.open()
    await ground.until(opened.manager.ready())
    const pod = await ground.createPod('vm', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
    await ground.evacuate(pod)
    await ground.pass(2_000)
    expect(ground.evacuationCount()).toBe(1)
    await ground.stop(opened)
    expect(await takeOut(ground)).toEqual([
      'removed validatingadmissionpolicybindings/lifeboat-cordon',
      'removed validatingadmissionpolicies/lifeboat-cordon',
      'removed mutatingadmissionpolicybindings/lifeboat-evict-time',
      'removed mutatingadmissionpolicies/lifeboat-evict-time',
      'removed validatingadmissionpolicybindings/lifeboat-evict-policy',
      'removed validatingadmissionpolicies/lifeboat-evict-policy',
      'removed validatingadmissionpolicybindings/lifeboat-evacuator-annotations',
      'removed validatingadmissionpolicies/lifeboat-evacuator-annotations',
      'removed validatingadmissionpolicybindings/lifeboat-evacuation-rights',
      'removed validatingadmissionpolicies/lifeboat-evacuation-rights',
      'released and deleted 1 evacuation',
      'removed customresourcedefinitions/evacuations.evacuation.coordination.k8s.io',
      'removed customresourcedefinitions/nodemaintenances.nodemaintenance.k8s.io',
      'removed leases/lifeboat in namespace lifeboat-system',
      'removed rolebindings/lifeboat in namespace lifeboat-system',
      'removed roles/lifeboat in namespace lifeboat-system',
      'removed clusterrolebindings/lifeboat',
      'removed clusterroles/lifeboat',
      'removed serviceaccounts/lifeboat in namespace lifeboat-system',
      'removed namespaces/lifeboat-system',
      'removed validatingadmissionpolicybindings/lifeboat-own-account',
      'removed validatingadmissionpolicies/lifeboat-own-account',
    ])
    expect(inventory(ground)).toEqual([...before, 'pods default/vm'].toSorted())
    expect(await takeOut(ground)).toEqual(['nothing'])
  })

  test('after a kill webhooks go first, because they would stand in the way', async () => {
    await using ground = await openLifeboatGround()
    const opened = await ground.open()
    await ground.until(opened.manager.ready())
    const pod = await ground.createPod('vm', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
    await ground.evacuate(pod)
    opened.kill()
    await ground.pass(20_000)
    const lines = await takeOut(ground)
    expect(lines.slice(0, 5)).toEqual([
      'removed mutatingwebhookconfigurations/lifeboat-admission-evacuations',
      'removed validatingwebhookconfigurations/lifeboat-admission-evictions',
      'removed mutatingwebhookconfigurations/lifeboat-admission-daemon-set-pods',
      'removed validatingwebhookconfigurations/lifeboat-admission-node-maintenances',
      'removed mutatingwebhookconfigurations/lifeboat-admission-node-maintenances',
    ])
    expect(ground.podNames()).toEqual(['vm'])
  })

  test('no DaemonSet pod stays held, and its node is given back', async () => {
    await using ground = await openLifeboatGround({ nodes: 2 })
    const opened = await ground.open()
    await ground.until(opened.manager.ready())
    const [node = ''] = ground.cluster.store.list('nodes').map(({ metadata }) => metadata.name)
    await ground.until(ground.admin.create(nodeMaintenances, maintenanceOf(node)))
    await ground.pass(1_000)
    await createDaemonSet(ground)
    const gates = () =>
      ground.cluster.store
        .list('pods')
        .map((pod) => (pod as unknown as Pod).spec?.schedulingGates?.map(({ name }) => name) ?? [])
    expect(gates().flat()).toEqual(['nodemaintenance.k8s.io/maintenance'])
    opened.kill()
    await ground.pass(20_000)
    const lines = await takeOut(ground)
    expect(lines).toContain('let 1 DaemonSet pod go to the nodes that they were held from')
    expect(lines).toContain('released and deleted 1 nodemaintenance')
    expect(lines).toContain('gave back 1 node that was under maintenance')
    const { metadata, spec } = await ground.until(ground.admin.get(nodes, { name: node }))
    expect({ annotations: metadata.annotations ?? {}, unschedulable: spec?.unschedulable }).toEqual({
      annotations: {},
    })
    await ground.pass(10_000)
    expect(gates()).toEqual([[], []])
    const states = ground.cluster.store.list('pods').map((pod) => (pod as unknown as Pod).status?.phase)
    expect(states).toEqual(['Running', 'Running'])
  })

  test('where Lifeboat never was there is nothing to do', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    expect(await takeOut(ground)).toEqual(['nothing'])
  })

  test('half an installation goes as well as a whole one, and what is not ours stays', async () => {
    await using ground = await openLifeboatGround()
    const remove = (path: string) => ground.until(ground.adminTransport.request({ method: 'DELETE', path }))
    await remove('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/evacuations.evacuation.coordination.k8s.io')
    await remove(`/api/v1/namespaces/${namespace}/serviceaccounts/lifeboat`)
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles/lifeboat'
    const labels = { 'app.kubernetes.io/managed-by': 'somebody-else' }
    const headers = { 'content-type': 'application/merge-patch+json' }
    await ground.until(
      ground.adminTransport.request({ method: 'PATCH', path, body: { metadata: { labels } }, headers }),
    )
    expect(await takeOut(ground)).toEqual([
      'removed validatingadmissionpolicybindings/lifeboat-evacuation-rights',
      'removed validatingadmissionpolicies/lifeboat-evacuation-rights',
      'removed customresourcedefinitions/nodemaintenances.nodemaintenance.k8s.io',
      'removed rolebindings/lifeboat in namespace lifeboat-system',
      'removed roles/lifeboat in namespace lifeboat-system',
      'removed clusterrolebindings/lifeboat',
      "left clusterroles/lifeboat: it is not labelled as Lifeboat's",
      'removed namespaces/lifeboat-system',
      'removed validatingadmissionpolicybindings/lifeboat-own-account',
      'removed validatingadmissionpolicies/lifeboat-own-account',
    ])
  })

  test('is refused while one runs, unless by force', async () => {
    await using ground = await openLifeboatGround()
    const opened = await ground.open({ identity: 'host_1' })
    await ground.until(opened.manager.ready())
    await expect(takeOut(ground)).rejects.toThrow(
      'Lifeboat still runs: host_1 holds the Lease lifeboat-system/lifeboat; stop it first, or use --force',
    )
    opened.kill()
    await expect(takeOut(ground)).rejects.toThrow('Lifeboat still runs')
    expect(await takeOut(ground, true)).toContain('removed namespaces/lifeboat-system')
  })

  test('is refused while one waits for the Lease of another that died', async () => {
    await using ground = await openLifeboatGround()
    const died = await ground.open({ identity: 'died' })
    await ground.until(died.manager.ready())
    died.kill()
    await ground.pass(15_000)
    const waiting = await ground.open({ identity: 'waiting' })
    await ground.until(waiting.manager.ready())
    expect(waiting.manager.isLeading()).toBe(false)
    await expect(takeOut(ground)).rejects.toThrow(
      'Lifeboat still runs: its webhooks answer the API server; stop it first, or use --force',
    )
  })
})

describe('what runs within the cluster', () => {
  /** As the manifests bring it, or Helm. */
  async function openInstalled(annotations: Readonly<Record<string, string>> = {}): Promise<LifeboatGround> {
    const ground = await openLifeboatGround({ nodes: 1 })
    for (const object of everyObject()) {
      const metadata = object.kind === 'Deployment' ? { ...object.metadata, annotations } : object.metadata
      await ground.until(applyObject({ kube: ground.admin, clock: ground.clock }, { ...object, metadata }))
    }
    await ground.pass(10_000)
    expect(ground.cluster.store.list('pods')).toHaveLength(2)
    return ground
  }

  test('is stopped first, and everything goes with it', async () => {
    await using ground = await openInstalled()
    const lines = await takeOut(ground)
    expect(lines[0]).toBe('stopped what ran in namespace lifeboat-system')
    expect(lines).toContain('removed deployments/lifeboat in namespace lifeboat-system')
    expect(lines).toContain('removed priorityclasses/lifeboat')
    expect(inventory(ground).filter((name) => name.includes('lifeboat'))).toEqual([])
    expect(await takeOut(ground)).toEqual(['nothing'])
  })

  test('is left to Helm where that brought it, unless by force', async () => {
    await using ground = await openInstalled({ 'meta.helm.sh/release-name': 'boat' })
    await expect(takeOut(ground)).rejects.toThrow(
      "Lifeboat is here as Helm's release boat: helm uninstall boat --namespace lifeboat-system, or use --force",
    )
    expect(ground.cluster.store.list('pods')).toHaveLength(2)
    expect(await takeOut(ground, true)).toContain('removed namespaces/lifeboat-system')
  })

  test('only lets go of what is held where Helm removes the rest', async () => {
    await using ground = await openInstalled({ 'meta.helm.sh/release-name': 'boat' })
    const opened = await ground.open()
    await ground.until(opened.manager.ready())
    const pod = await ground.createPod('vm', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
    await ground.evacuate(pod)
    await ground.pass(2_000)
    opened.kill()
    const lines = await takeOut(ground, true, true)
    expect(lines[0]).toBe('stopped what ran in namespace lifeboat-system')
    expect(lines).toContain('released and deleted 1 evacuation')
    expect(lines).toContain('removed leases/lifeboat in namespace lifeboat-system')
    expect(lines.filter((line) => /definition|deployment|namespaces|clusterrole/.test(line))).toEqual([])
    const { store } = ground.cluster
    expect(store.count('validatingwebhookconfigurations.admissionregistration.k8s.io')).toBe(0)
    expect(store.count('mutatingwebhookconfigurations.admissionregistration.k8s.io')).toBe(0)
    expect(store.count('customresourcedefinitions.apiextensions.k8s.io')).toBe(2)
  })
})
