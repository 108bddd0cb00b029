import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { deployments, leases } from '../../api/kubernetes/resources.ts'
import { instigators } from '../../api/names.ts'
import { emptyMemory, withDepartures } from '../../descheduler/memory.ts'
import { MemoryStore } from '../../descheduler/memory-store.ts'
import { resourceId } from '../../embedded/server/definition.ts'
import { requestEvacuation } from '../../evacuation-client/request-evacuation.ts'
import { applyAll } from './apply.ts'
import { deschedulerObjects, deschedulerPolicies } from './descheduler-objects.ts'
import { releaseObjects } from './install.ts'
import { deschedulerLabels, installation, managedLabels, userOfServiceAccount } from './installation-names.ts'
import { buildOwnDeschedulingAccess } from '../manifests/descheduler-access.ts'
import { cronJobs, jobs } from '../manifests/resources.ts'
import { uninstall } from './uninstall.ts'

// What uninstalling does about the descheduler. All else is in uninstall.test.ts.

const { namespace, descheduler: name } = installation
const { signal } = new AbortController()
const parts = (ground: LifeboatGround) => ({ kube: ground.admin, clock: ground.clock })

/** Everything there is, by name. Events go by themselves after an hour. */
function inventory({ cluster }: LifeboatGround): string[] {
  return cluster.definitions
    .all()
    .map((definition) => resourceId(definition))
    .filter((id) => !id.startsWith('events'))
    .flatMap((id) => cluster.store.list(id).map(({ metadata }) => `${id} ${metadata.namespace ?? ''}/${metadata.name}`))
    .toSorted()
}

async function takeOut(ground: LifeboatGround, { force = false } = {}): Promise<string[]> {
  const lines: string[] = []
  const options = { namespace, force, print: (line: string) => void lines.push(line) }
  await ground.until(uninstall(parts(ground), options), 300_000)
  return lines
}

/** As the Job of the chart: with its rights, and leaving to Helm what Helm removes. */
async function letGo(ground: LifeboatGround): Promise<string[]> {
  const lines: string[] = []
  await ground.until(applyAll(parts(ground), releaseObjects(namespace)))
  const user = { name: userOfServiceAccount(namespace, installation.uninstall), groups: ['system:authenticated'] }
  const kube = buildKube(ground.cluster.transport(user), ground.clock)
  const options = { namespace, force: true, releaseOnly: true, print: (line: string) => void lines.push(line) }
  await ground.until(uninstall({ kube, clock: ground.clock }, options), 300_000)
  return lines
}

/** What a descheduler makes while it runs. */
async function leaveTraces(ground: LifeboatGround): Promise<void> {
  const store = new MemoryStore(ground.admin, namespace)
  await ground.until(store.write(withDepartures(emptyMemory, [podView({ name: 'web' })], 1_000), signal))
  const spec = { holderIdentity: 'gone', renewTime: '2020-01-01T00:00:00.000000Z' }
  await ground.until(ground.admin.create(leases, { metadata: { namespace, name }, spec }))
  const { namespace: of, name: pod, uid } = (await ground.createPod('web')).metadata
  const wish = { instigator: instigators.descheduler, pod: { namespace: of, name: pod, uid } }
  expect(await ground.until(requestEvacuation(ground.admin, wish))).toMatchObject({ kind: 'requested' })
}

const traces = [
  'released and deleted 1 evacuation',
  'removed leases/lifeboat-descheduler in namespace lifeboat-system',
  'removed configmaps/lifeboat-descheduler in namespace lifeboat-system',
]

test('the descheduler leaves nothing of what it made, wherever it ran', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await leaveTraces(ground)
  expect(await takeOut(ground)).toEqual(expect.arrayContaining(traces))
  expect(inventory(ground).filter((each) => each.includes('descheduler'))).toEqual([])
  expect(ground.podNames()).toEqual(['web'])
})

test.each([
  { name: 'with an account of its own', access: deschedulerObjects(namespace) },
  { name: 'as a part of the controller', access: buildOwnDeschedulingAccess(namespace) },
])('the descheduler leaves nothing of what manifests brought, $name', async ({ access }) => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const policy = deschedulerObjects(namespace).filter(({ kind }) => kind === 'ConfigMap')
  const objects = [...access, ...policy].filter(({ kind }) => !['Deployment', 'CronJob'].includes(kind ?? ''))
  await ground.until(applyAll(parts(ground), objects))
  const before = inventory(ground)
  expect(before).toContain('clusterroles.rbac.authorization.k8s.io /lifeboat-descheduler')
  const lines = await takeOut(ground)
  expect(lines).toContain('removed clusterroles/lifeboat-descheduler')
  expect(lines).toContain('removed configmaps/lifeboat-descheduler-policy in namespace lifeboat-system')
  expect(inventory(ground).filter((each) => each.includes('descheduler'))).toEqual([])
})

test('the descheduler is stopped, and what it made goes, where Helm removes the rest', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await ground.until(applyAll(parts(ground), deschedulerPolicies(namespace)))
  const template = { metadata: { labels: deschedulerLabels }, spec: { containers: [{ name: 'main', image: 'a:1' }] } }
  const spec = { replicas: 1, selector: { matchLabels: deschedulerLabels }, template }
  const metadata = { name, namespace, labels: managedLabels }
  await ground.until(ground.admin.create(deployments, { metadata, spec }))
  const schedule = '@hourly'
  await ground.until(
    ground.admin.create(cronJobs, { metadata, spec: { schedule, jobTemplate: { spec: { template } } } }),
  )
  const once = { ...template, spec: { ...template.spec, restartPolicy: 'Never', nodeSelector: { nowhere: 'true' } } }
  const job = { metadata: { name: 'cycle', namespace, labels: deschedulerLabels }, spec: { template: once } }
  await ground.until(ground.admin.create(jobs, job))
  await ground.pass(10_000)
  await leaveTraces(ground)
  const lines = await letGo(ground)
  expect(lines[0]).toBe('stopped the descheduler in namespace lifeboat-system')
  expect(lines).toEqual(expect.arrayContaining(traces))
  expect(ground.podNames()).toEqual(['web'])
  const left = inventory(ground).filter((each) => each.includes('descheduler') && !each.startsWith('replicasets'))
  expect(left).toEqual([
    'cronjobs.batch lifeboat-system/lifeboat-descheduler',
    'deployments.apps lifeboat-system/lifeboat-descheduler',
    'validatingadmissionpolicies.admissionregistration.k8s.io /lifeboat-descheduler-account',
    'validatingadmissionpolicybindings.admissionregistration.k8s.io /lifeboat-descheduler-account',
  ])
})

test('a descheduler that runs from outside is not taken out from under itself, unless by force', async () => {
  await using ground = await openLifeboatGround()
  const renewTime = new Date(ground.clock.nowMs()).toISOString()
  const spec = { holderIdentity: 'host_2', renewTime }
  await ground.until(ground.admin.create(leases, { metadata: { namespace, name }, spec }))
  await expect(takeOut(ground)).rejects.toThrow(
    'the descheduler still runs: host_2 holds the Lease lifeboat-system/lifeboat-descheduler; stop it first, or use --force',
  )
  expect(await takeOut(ground, { force: true })).toContain('removed namespaces/lifeboat-system')
})
