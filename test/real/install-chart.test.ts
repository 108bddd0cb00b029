import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { objectsIn, plainManifests, workloadManifests } from '../../scripts/render-chart.ts'
import { featureGateNames } from '../../src/api/feature-gates.ts'
import { chart, createHelm, type Helm, renderChart, renderPlainManifests } from '../cluster/helm.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { ownCluster } from './own-cluster.ts'

// What can be said of the chart without pods that run: see install.test.ts for those.

const root = join(import.meta.dirname, '..', '..')
let helm: Helm

beforeAll(async () => {
  helm = await createHelm()
}, 600_000)

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: object }
  readonly spec?: unknown
}

const render = async (...args: string[]) => objectsIn(await renderChart(helm, args)) as Manifest[]
const named = (objects: readonly Manifest[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

test('helm lint has nothing to say against it', async () => {
  expect(await helm(['lint', '--strict', chart])).toContain('0 chart(s) failed')
})

describe('values that are wrong are refused by name', () => {
  test.each([
    { set: 'replica=3', says: "additional properties 'replica' not allowed" },
    { set: 'replicas=0', says: "at '/replicas': minimum: got 0, want 1" },
    { set: 'replicas=two', says: "at '/replicas': got string, want integer" },
    { set: 'image.name=x', says: "at '/image': additional properties 'name' not allowed" },
    { set: 'image.pullPolicy=Sometimes', says: "at '/image/pullPolicy': value must be one of 'Always'" },
    { set: 'image.digest=latest', says: "at '/image/digest': 'latest' does not match pattern" },
    {
      set: 'featureGates.Evacuations=true',
      says: "at '/featureGates': additional properties 'Evacuations' not allowed",
    },
    { set: 'featureGates.EvacuationAPI=yes', says: "at '/featureGates/EvacuationAPI': got string, want boolean" },
    { set: 'controllerEvictTimeout=soon', says: "at '/controllerEvictTimeout': 'soon' does not match pattern" },
    { set: 'logLevel=loud', says: "at '/logLevel': value must be one of 'debug', 'info', 'warn', 'error'" },
    { set: 'webhookPort=443', says: "at '/webhookPort': minimum: got 443, want 1,024" },
    { set: 'networkPolicy.apiServerPorts={https}', says: "at '/networkPolicy/apiServerPorts/0': got string" },
    { set: 'descheduler.enable=true', says: "at '/descheduler': additional properties 'enable' not allowed" },
    {
      set: 'descheduler.kind=Job',
      says: "at '/descheduler/kind': value must be one of 'Deployment', 'CronJob', 'Controller'",
    },
    { set: 'descheduler.mode=delete', says: "at '/descheduler/mode': value must be one of 'evacuate', 'evict'" },
    { set: 'descheduler.interval=0s', says: "at '/descheduler/interval': '0s' does not match pattern" },
    { set: 'descheduler.schedule=hourly', says: "at '/descheduler/schedule': 'hourly' does not match pattern" },
    { set: 'descheduler.maxEvacuationRequestTtl=never', says: "'never' does not match pattern" },
    { set: 'descheduler.replicas=0', says: "at '/descheduler/replicas': minimum: got 0, want 1" },
    {
      set: 'descheduler.policy.apiVersion=descheduler/v1',
      says: "at '/descheduler/policy/apiVersion': value must be 'descheduler/v1alpha2'",
    },
    {
      set: 'descheduler.policy.maxPods=1',
      says: "at '/descheduler/policy': additional properties 'maxPods' not allowed",
    },
    {
      set: 'descheduler.policy.metricsProviders[0].source=Datadog',
      says: "at '/descheduler/policy/metricsProviders/0/source': value must be one of 'KubernetesMetrics', 'Prometheus'",
    },
    { set: 'uninstall.timeoutSeconds=1', says: "at '/uninstall/timeoutSeconds': minimum: got 1, want 30" },
  ])('$set', async ({ set, says }) => {
    await expect(render('--set', set)).rejects.toThrow(says)
  })
})

const wantedNodes = 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'
const everyOption = [
  'serviceMonitor.enabled=true',
  'serviceMonitor.labels.release=prometheus',
  'networkPolicy.enabled=true',
  'networkPolicy.webhookFrom[0].ipBlock.cidr=10.0.0.0/28',
  'networkPolicy.apiServerPorts={6443}',
  'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.team=ops',
  'imagePullSecrets[0].name=registry',
  `image.digest=sha256:${'0'.repeat(64)}`,
  'podAnnotations.note=seen',
  'podLabels.team=nodes',
  'tolerations[0].operator=Exists',
  `${wantedNodes}.nodeSelectorTerms[0].matchExpressions[0].key=disk`,
  `${wantedNodes}.nodeSelectorTerms[0].matchExpressions[0].operator=Exists`,
  'priorityClass.create=false',
  'priorityClass.name=system-cluster-critical',
  'createNamespace=true',
  'descheduler.enabled=true',
  'descheduler.maxEvacuationRequestTtl=30m',
  'descheduler.policy.metricsProviders[0].source=KubernetesMetrics',
  'descheduler.policy.metricsProviders[1].source=Prometheus',
  'descheduler.policy.metricsProviders[1].prometheus.url=https://prometheus.monitoring:9090',
  'descheduler.policy.metricsProviders[1].prometheus.authToken.secretReference.namespace=lifeboat-system',
  'descheduler.policy.metricsProviders[1].prometheus.authToken.secretReference.name=prometheus-token',
  'agent.staticPods=true',
  'agent.shutdown=true',
  'agent.completeAfterReboot=true',
  'agent.shutdownPodPriorities={0,2000000000}',
].flatMap((setting) => ['--set', setting])

const knowing = ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding'].flatMap((kind) => [
  '--api-versions',
  `admissionregistration.k8s.io/v1/${kind}`,
])

test('every option on brings its object, in the namespace of the release', async () => {
  const all = await render(...everyOption)
  const deployments = all.filter(({ kind }) => kind === 'Deployment').map((object) => JSON.stringify(object))
  expect(deployments).toHaveLength(2)
  const landed = ['registry', 'sha256:000', 'seen', 'nodes', 'Exists', 'disk', 'system-cluster-critical']
  for (const deployment of deployments) expect(landed.filter((word) => !deployment.includes(word))).toEqual([])
  expect(named(all)).toEqual(
    expect.arrayContaining([
      'ServiceMonitor lifeboat',
      'NetworkPolicy lifeboat',
      'NetworkPolicy lifeboat-descheduler',
      'Role lifeboat-descheduler-token',
      'DaemonSet lifeboat-agent',
      'Namespace lifeboat-system',
      'Job lifeboat-uninstall',
    ]),
  )
  const elsewhere = all.filter(({ metadata }) => ![undefined, 'lifeboat-system'].includes(metadata.namespace))
  expect(elsewhere).toEqual([])
})

test('every option off leaves nothing of it', async () => {
  const off = 'uninstall.release=false,priorityClass.create=false,crds.keep=false,networkPolicy.enabled=false'
  const few = await render('--set', off)
  expect(named(few).filter((name) => /Job|uninstall|PriorityClass|NetworkPolicy/.test(name))).toEqual([])
  expect(JSON.stringify(few)).not.toContain('resource-policy')
})

test('a gate that is off leaves its webhooks away, and its policies without effect, from the first moment', async () => {
  const configurationsOf = (objects: readonly Manifest[]) =>
    named(objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))).toSorted()
  const objects = await render('--set', 'featureGates.DeclarativeNodeMaintenance=false')
  expect(configurationsOf(objects)).toEqual([
    'MutatingWebhookConfiguration lifeboat-admission-evacuations',
    'MutatingWebhookConfiguration lifeboat-admission-evict-time',
    'ValidatingWebhookConfiguration lifeboat-admission-evictions',
  ])
  expect(configurationsOf(await render())).toHaveLength(6)
  expect(configurationsOf(await render('--set', 'featureGates.EvacuationAPI=false'))).toEqual([])
  const off = objects.filter((object) => JSON.stringify(object).includes('switched-off'))
  expect(named(off)).toEqual(['ValidatingAdmissionPolicy lifeboat-cordon'])
  expect(JSON.stringify(objects)).toContain('DeclarativeNodeMaintenance=false')
})

test('the policy that makes time is there where the API server knows the kind, with the timeout of the values', async () => {
  const isPolicy = ({ kind }: Manifest) => kind.startsWith('MutatingAdmissionPolicy')
  expect((await render()).filter(isPolicy)).toEqual([])
  const policies = (await render(...knowing, '--set', 'controllerEvictTimeout=90s')).filter(isPolicy)
  expect(named(policies)).toEqual([
    'MutatingAdmissionPolicy lifeboat-evict-time',
    'MutatingAdmissionPolicyBinding lifeboat-evict-time',
  ])
  expect(JSON.stringify(policies)).toContain(": '90s').getSeconds()")
  const off = (await render(...knowing, '--set', 'featureGates.PodEvictPolicy=false')).filter(isPolicy)
  expect(named(off)).toHaveLength(2)
  expect(JSON.stringify(off)).toContain('switched-off')
})

test('no gate that is off takes the effect from who may write an Evacuation, or from what limits its own account', async () => {
  const gates = featureGateNames.map((gate) => `featureGates.${gate}=false`).join(',')
  const objects = await render('--set', gates)
  const policies = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
  const inEffect = policies.filter((object) => !JSON.stringify(object).includes('switched-off'))
  const names = ['lifeboat-own-account', 'lifeboat-evacuation-rights']
  expect(named(inEffect).toSorted()).toEqual(names.map((name) => `ValidatingAdmissionPolicy ${name}`).toSorted())
  for (const name of names) expect(named(objects)).toContain(`ValidatingAdmissionPolicyBinding ${name}`)
})

describe('the NetworkPolicy', () => {
  const policyOf = async (...args: string[]) =>
    (await render(...args)).find(({ kind }) => kind === 'NetworkPolicy')?.spec
  const ipBlock = { cidr: '10.0.0.0/28' }

  test('is there by default, and closes what cannot cut Lifeboat off: all ports but its own two', async () => {
    expect(await policyOf()).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'lifeboat' } },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ port: 9443 }] }, { ports: [{ port: 8081 }] }],
    })
  })

  test('closes more where that is asked for', async () => {
    const set = 'networkPolicy.webhookFrom[0].ipBlock.cidr=10.0.0.0/28,networkPolicy.apiServerPorts={6443}'
    expect(await policyOf('--set', set)).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: [{ port: 9443 }], from: [{ ipBlock }] }, { ports: [{ port: 8081 }] }],
      egress: [{ ports: [{ port: 6443 }] }],
    })
  })
})

describe('the plain manifests', () => {
  test('are what the chart makes of its defaults', async () => {
    const manifests = plainManifests(await renderPlainManifests(helm))
    expect(await readFile(join(root, 'deploy/lifeboat.yaml'), 'utf8')).toBe(manifests)
    const workload = await readFile(join(root, 'src/manager/manifests/workload.json'), 'utf8')
    expect(workload).toBe(workloadManifests(manifests))
  })

  test.each([
    { name: 'lifeboat.yaml', isKnown: true },
    { name: 'evict-time-policy.yaml', isKnown: hasPart('mutatingPolicies') },
  ])('$name is taken by an API server that knows its kinds: $isKnown', async ({ name, isKnown }) => {
    const manifests = await readFile(join(root, 'deploy', name), 'utf8')
    const taken = expectTaken(manifests, objectsIn(manifests).length)
    if (isKnown) await taken
    else await expect(taken).rejects.toThrow('no matches for kind "MutatingAdmissionPolicy"')
  })
})

test.each([
  { name: 'what every option on brings', set: [] },
  { name: 'a CronJob for the descheduler', set: ['--set', 'descheduler.kind=CronJob'] },
  ...(hasPart('mutatingPolicies') ? [{ name: 'the policy that makes time', set: knowing }] : []),
  {
    name: 'pods in the network of their node, as the user that the cluster assigns',
    set: ['--set', 'hostNetwork=true,podSecurityContext.runAsUser=null,podSecurityContext.runAsGroup=null'],
  },
])('$name is taken by the API server too, apart from kinds that are not its own', async ({ set }) => {
  const objects = (await render(...everyOption, ...set)).filter(({ kind }) => kind !== 'ServiceMonitor')
  expect(named(objects)).toContain('NetworkPolicy lifeboat')
  await expectTaken(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }), objects.length)
})

/** A dry run creates no namespace, so what would be in it is refused: it is there for as long as this takes. */
async function expectTaken(manifests: string, count: number): Promise<void> {
  const kubectl = createKubectl(ownCluster())
  const namespace = 'lifeboat-system'
  const wasThere = await kubectl(['create', 'namespace', namespace]).then(
    () => false,
    () => true,
  )
  try {
    const args = ['apply', '--server-side', '--dry-run=server', '--force-conflicts', '--validate=strict', '-f', '-']
    const applied = await kubectl(args, { stdin: manifests })
    expect(applied.trim().split('\n')).toHaveLength(count)
  } finally {
    if (!wasThere) await kubectl(['delete', 'namespace', namespace])
  }
}
