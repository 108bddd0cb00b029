import { openAdmission } from '../../src/admission/admission.ts'
import { buildEvictTimePolicy } from '../../src/admission/policies/evict-time-policy.ts'
import { openAdmissionListener } from '../../src/admission/serving/listener.ts'
import { buildSecretPath } from '../../src/admission/serving/path-secret.ts'
import { buildPolicies } from '../../src/admission/policies/policies.ts'
import { makeServingCertificate } from '../../src/admission/serving/serving-certificate.ts'
import {
  buildWebhookConfigurations,
  type WebhookConfigurationOptions,
} from '../../src/admission/serving/webhook-configurations.ts'
import { customResourceDefinitions } from '../../src/api/schema/custom-resource-definitions.ts'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import type { Manifest } from '../../src/api/kubernetes/meta.ts'
import { InProcessWebhooks } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock } from '../../src/runtime/system.ts'
import { impersonating } from '../build/impersonating.ts'
import { buildKube } from '../build/kube.ts'
import { openVirtualCluster } from '../build/virtual-cluster.ts'
import { lifeboatUser } from '../scenarios/admission-story.ts'
import { evictTimeRows, podOf as evictTimePodOf } from '../scenarios/evict-time.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { type StoryGround } from '../scenarios/run-story.ts'
import { realApiServer } from './grounds.ts'

// API servers with Lifeboat's admission in effect, and nothing else of it.

const gates = featureGateDefaults
/** No story here is about them. */
const noNodes = async () => []
export const policies = [...Object.values(buildPolicies(lifeboatUser)).flat(), ...buildEvictTimePolicy('1m')]

/** The real API server reaches the webhooks by HTTPS, as it does that of `lifeboat run`. */
export async function openReal(): Promise<StoryGround> {
  await using opening = new AsyncDisposableStack()
  const ground = opening.use(await realApiServer())
  const as = (user: string | undefined) =>
    user === undefined ? ground.transport : impersonating(ground.transport, user)
  const certificate = makeServingCertificate({
    clock: systemClock,
    names: { dnsNames: [], addresses: ['127.0.0.1'] },
  })
  const kube = buildKube(as(lifeboatUser), systemClock)
  const listener = opening.use(
    await openAdmissionListener({
      handlers: openAdmission({
        kube,
        clock: systemClock,
        log: silentLog,
        gates,
        listNodes: noNodes,
        controllerEvictTimeoutMs: 60_000,
      }),
      secrets: () => certificate.acceptedPathSecrets(),
      serving: certificate.serving(),
      host: '127.0.0.1',
      port: 0,
      clock: systemClock,
    }),
  )
  const real = { name: ground.name, nowMs: () => Date.now(), as, pass: (ms: number) => ground.pass(ms) }
  const client = (path: string) => ({
    url: `https://127.0.0.1:${listener.port}${buildSecretPath(certificate.pathSecret(), path)}`,
    caBundle: certificate.caBundle(),
  })
  await install(real, client, hasPart('mutatingPolicies'))
  const opened = opening.move()
  return { ...real, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

export async function openEmbedded(): Promise<StoryGround> {
  const webhooks = new InProcessWebhooks()
  const { clock, cluster } = await openVirtualCluster({ webhookCaller: webhooks })
  const as = (user: string | undefined) =>
    cluster.transport(
      user === undefined
        ? { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
        : { name: user, groups: ['system:authenticated'] },
    )
  const client = (path: string) => ({ url: `https://lifeboat.test${path}`, caBundle: '' })
  const kube = buildKube(as(lifeboatUser), clock)
  for (const [path, handler] of openAdmission({
    kube,
    clock,
    log: silentLog,
    gates,
    listNodes: noNodes,
    controllerEvictTimeoutMs: 60_000,
  })) {
    webhooks.register(client(path), handler)
  }
  const embedded = {
    name: 'the embedded cluster',
    nowMs: () => clock.nowMs(),
    as,
    pass: (ms: number) => clock.advance(ms),
  }
  await install(embedded, client, true)
  return { ...embedded, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

type Installed = Pick<StoryGround, 'name' | 'as' | 'pass'>

export const plurals: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  MutatingWebhookConfiguration: 'apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  ValidatingAdmissionPolicy: 'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  MutatingAdmissionPolicy: 'apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding: 'apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  ClusterRoleBinding: 'apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Namespace: 'api/v1/namespaces',
}

/** Lifeboat may do everything here: which rights it needs is not what these stories are about. */
const rights: readonly Manifest[] = [
  { kind: 'Namespace', metadata: { name: 'warming-up' } },
  ...['lifeboat', 'namespace-controller', 'generic-garbage-collector'].map((name) => ({
    kind: 'ClusterRoleBinding',
    metadata: { name: `all-for-${name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name, namespace: name === 'lifeboat' ? 'lifeboat-system' : 'kube-system' }],
  })),
]

/** Without MutatingAdmissionPolicies a webhook has the place of the one that there is. */
async function install(
  ground: Installed,
  client: WebhookConfigurationOptions['client'],
  mutatingPolicies: boolean,
): Promise<void> {
  const { mutating, validating } = buildWebhookConfigurations({
    client,
    serviceAccountUser: lifeboatUser,
    interception: true,
    maintenanceHold: false,
    nodeMaintenances: false,
    evictTime: !mutatingPolicies,
  })
  const known = policies.filter(({ kind = '' }) => mutatingPolicies || !kind.startsWith('MutatingAdmissionPolicy'))
  const objects = [...rights, ...customResourceDefinitions(), ...mutating, ...validating, ...known]
  for (const object of objects) {
    const answer = await ground.as(undefined).request({
      method: 'POST',
      path: `/${plurals[object.kind ?? ''] ?? object.kind}`,
      body: object,
    })
    if (answer.status !== 201) throw new Error(`${ground.name}: ${object.kind}: ${JSON.stringify(answer.body)}`)
  }
  await untilInEffect(ground)
}

const uid = '00000000-0000-4000-8000-000000000000'
export const podOf = (annotations: object) => ({
  metadata: { name: 'probe', annotations },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
})

const evictTimePod = evictTimePodOf(evictTimeRows[0] ?? { metadata: {} })

/** The API server takes a moment to hear of each; a dry run of Lifeboat's own goes through the webhooks too. */
async function untilInEffect(ground: Installed): Promise<void> {
  const probes = [
    {
      path: '/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/warming-up/evacuations',
      body: {
        apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
        kind: 'Evacuation',
        metadata: { name: `${uid}-probe` },
        spec: { podRef: { name: 'probe', uid } },
      },
      message: 'there is no such pod',
    },
    {
      path: '/api/v1/namespaces/warming-up/pods',
      body: podOf({ 'evacuation.coordination.k8s.io/priority_a': '-1' }),
      message: 'lifeboat-evacuator-annotations',
    },
    {
      path: '/api/v1/namespaces/warming-up/pods',
      body: podOf({ 'kubernetes.io/evict-policy': 'x' }),
      message: 'lifeboat-evict-policy',
    },
    {
      path: '/api/v1/namespaces/warming-up/pods',
      body: evictTimePod,
      message: 'added-toleration-seconds',
    },
  ]
  for (const { path, body, message } of probes) {
    for (let attempts = 1; ; attempts++) {
      const request = { method: 'POST', path, body, query: { dryRun: 'All' } } as const
      const answer = await ground.as(lifeboatUser).request(request)
      if (JSON.stringify(answer.body).includes(message)) break
      if (attempts > 300) throw new Error(`${ground.name}: ${message}: ${JSON.stringify(answer.body)}`)
      await ground.pass(100)
    }
  }
}
