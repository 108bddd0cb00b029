import { blockerOf } from '../../src/api/blocker/blocked-by.ts'
import type { BlockerKind } from '../../src/api/blocker/blocker.ts'
import {
  configurationNames,
  mutatingWebhookConfigurations,
} from '../../src/admission/serving/webhook-configurations.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { evacuations, evacuationType } from '../../src/api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import {
  daemonSets,
  deployments,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  type Resource,
} from '../../src/api/kubernetes/resources.ts'
import type { KubernetesObject } from '../../src/api/kubernetes/meta.ts'
import { podRefOf, type PodRef } from '../../src/api/evacuation/pod-reference.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import type { LifeboatGround, ManagerChoices } from '../build/lifeboat.ts'
import { maintain, patchNode, selectNodes } from '../build/maintenance.ts'
import { manifestOf, MemoryFolder } from '../build/memory-folder.ts'
import { startNodeAgent } from '../build/node-agent.ts'
import {
  behaviourAnnotations,
  buildBudget,
  buildDeployment,
  buildPod,
  type DeploymentOptions,
  type PodOptions,
} from '../build/nodes-and-pods.ts'

// How a cluster comes to a state in which a pod waits: the real controllers bring it about, nothing is written by hand
// that they would write.

export interface Situation {
  /** node-1 is the one that is drained; there is one more where a replacement should find room. */
  readonly nodes?: number
  /** False: an API server by itself, where no kubelet ends a pod and nobody counts budgets. */
  readonly controllers?: false
  readonly choices?: ManagerChoices
  /** Ends when the pod waits. */
  readonly bringAbout: (ground: LifeboatGround) => Promise<PodKey>
  /** How long it has waited when somebody asks. */
  readonly waitedMs?: number
}

export interface PodKey {
  readonly namespace: string
  readonly name: string
}

const namespace = 'shop'
const labels = { app: 'web' }

function create<T extends KubernetesObject>(ground: LifeboatGround, resource: Resource<T>, object: object): Promise<T> {
  return ground.until(ground.admin.create(resource, object as Parameters<typeof ground.admin.create<T>>[1]))
}

async function openShop(ground: LifeboatGround): Promise<void> {
  await create(ground, namespaces, { metadata: { name: namespace } })
}

/** A pod by itself: nobody claims it, so it is evicted. */
export async function arrangePod(ground: LifeboatGround, options: Partial<PodOptions> = {}): Promise<Pod> {
  await openShop(ground)
  await create(ground, pods, buildPod({ name: 'web-0', namespace, labels, ...options }))
  await ground.pass(3_000)
  return ground.until(ground.admin.get(pods, { namespace, name: options.name ?? 'web-0' }))
}

/** All pods on node-1, and ready. */
export async function arrangeApp(ground: LifeboatGround, options: Partial<DeploymentOptions> = {}): Promise<void> {
  await openShop(ground)
  const hasOtherNode = ground.cluster.store.count('nodes') > 1
  if (hasOtherNode) await patchNode(ground, 'node-2', { spec: { unschedulable: true } })
  await create(ground, deployments, buildDeployment({ name: 'web', namespace, replicas: 1, ...options }))
  await ground.pass(3_000)
  if (hasOtherNode) await patchNode(ground, 'node-2', { spec: { unschedulable: false } })
}

export async function arrangeBudget(ground: LifeboatGround, name: string): Promise<void> {
  const budget = buildBudget({ name, namespace, selector: labels, minAvailable: 1 })
  await create(ground, podDisruptionBudgets, budget)
  await ground.pass(1_000)
}

export async function arrangeDaemonSet(ground: LifeboatGround): Promise<PodRef> {
  const template = { metadata: { labels: { app: 'logs' } }, spec: { containers: [{ name: 'main', image: 'logs:1' }] } }
  const spec = { selector: { matchLabels: { app: 'logs' } }, template }
  await create(ground, daemonSets, { metadata: { name: 'logs', namespace }, spec })
  await ground.pass(3_000)
  const { items } = await ground.until(ground.admin.list(pods, { namespace, labelSelector: 'app=logs' }))
  const [pod] = items
  if (pod === undefined) throw new Error('the DaemonSet has no pod')
  return podRefOf(pod)
}

export async function drain(ground: LifeboatGround): Promise<void> {
  await maintain(ground, 'os-upgrade', selectNodes('node-1'), { reason: 'OS upgrade' })
}

/** As somebody who wants this one pod gone, whatever it is. */
export async function evacuate(ground: LifeboatGround, { name, uid }: PodRef): Promise<void> {
  const metadata = {
    name: evacuationName({ name, uid }),
    namespace,
    finalizers: [instigatorFinalizer('drill.example.com')],
  }
  const spec = { podRef: { name, uid }, progressDeadlineSeconds: 1_800 }
  await create(ground, evacuations, { ...evacuationType, metadata, spec })
}

const lookEveryMs = 250
const looksMax = 8_000

async function blockedBy(ground: LifeboatGround, kind: BlockerKind): Promise<PodKey> {
  for (let looks = 0; looks < looksMax; looks++) {
    const { items } = await ground.until(ground.admin.list(evacuations, { namespace }))
    const found = items.find((evacuation) => blockerOf(evacuation)?.kind === kind)
    if (found !== undefined) return { namespace, name: found.spec.podRef.name }
    await ground.pass(lookEveryMs)
  }
  throw new Error(`no pod is blocked by ${kind}`)
}

async function drainSlowStarter(ground: LifeboatGround): Promise<void> {
  await arrangeApp(ground, { pod: { readyAfter: '60s' } })
  await ground.pass(60_000)
  await drain(ground)
}

/** Its pods are well, and each that comes later is ill. */
async function arrangeAppOfLuckyPod(ground: LifeboatGround): Promise<void> {
  await openShop(ground)
  await patchNode(ground, 'node-2', { spec: { unschedulable: true } })
  const app = buildDeployment({ name: 'web', namespace, replicas: 1, pod: { imagePullFails: true } })
  await create(ground, deployments, app)
  await ground.pass(1_000)
  const { items } = await ground.until(ground.admin.list(pods, { namespace }))
  for (const pod of items) {
    const body = { metadata: { annotations: { [behaviourAnnotations.imagePullFails]: null } } }
    await ground.until(ground.admin.patch(pods, podRefOf(pod), { type: 'merge', body }))
  }
  await ground.pass(3_000)
  await patchNode(ground, 'node-2', { spec: { unschedulable: false } })
}

/** Denies every eviction, as companies do before a holiday. */
async function freezeEvictions(ground: LifeboatGround): Promise<void> {
  const url = 'https://freeze.example.com/review'
  ground.webhooks.register({ url }, ({ request }) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request.uid, allowed: false, status: { message: 'no changes before Monday' } },
  }))
  await reviewEvictions(ground, 'freeze.example.com')
}

/** Where the webhook of this name is not served, all evictions fail. */
async function reviewEvictions(ground: LifeboatGround, name: string): Promise<void> {
  const configurations: Resource<KubernetesObject> = {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    plural: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    namespaced: false,
  }
  const webhook = {
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: `https://${name}/review` },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
  }
  await create(ground, configurations, { metadata: { name }, webhooks: [webhook] })
}

/** What the API server says to every eviction. */
function answeringEvictions(code: number, reason: string, message: string): (transport: Transport) => Transport {
  const answer = {
    status: code,
    headers: code === 429 ? { 'retry-after': '1' } : {},
    body: { kind: 'Status', status: 'Failure', code, reason, message },
  }
  return (transport) => ({
    request: async (request) => (request.path.endsWith('/eviction') ? answer : transport.request(request)),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
}

/** As a platform narrows the webhooks of others. */
async function excludeFromHold(ground: LifeboatGround, selectors: object): Promise<void> {
  const found = await ground.until(
    ground.admin.get(mutatingWebhookConfigurations, { name: configurationNames.daemonSetPods }),
  )
  const webhooks = found.webhooks.map((webhook) => ({ ...webhook, ...selectors }))
  await ground.until(ground.admin.replace(mutatingWebhookConfigurations, { ...found, webhooks }))
}

/** The DaemonSet controller puts this label on its pods, so only the dry run is held. */
const madeByNoController = { matchExpressions: [{ key: 'pod-template-generation', operator: 'DoesNotExist' }] }

const withoutKubelet: Pick<Situation, 'controllers' | 'nodes'> = { controllers: false, nodes: 1 }

/** For an API server by itself. */
async function arrangeRunningPod(ground: LifeboatGround, options: Partial<PodOptions> = {}): Promise<PodRef> {
  const pod = await arrangePod(ground, { nodeName: 'node-1', ...options })
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const patch = { type: 'merge', body: { status } } as const
  await ground.until(ground.admin.patch(pods, podRefOf(pod), patch, { subresource: 'status' }))
  return podRefOf(pod)
}

async function arrangeMirror(
  ground: LifeboatGround,
  more: Readonly<Record<string, string>> = {},
  name = 'proxy-node-1',
): Promise<void> {
  const annotations = { 'kubernetes.io/config.mirror': 'hash', 'kubernetes.io/config.source': 'file', ...more }
  await arrangeRunningPod(ground, { name, annotations })
}

/** A ReplicaSet whose pods its controller takes over, all on node-1; without a strategy it never acts. */
async function arrangeTakeOver(
  ground: LifeboatGround,
  replicas: number,
  strategy: Readonly<Record<string, string>> = {},
): Promise<void> {
  await openShop(ground)
  const hasOtherNode = ground.cluster.store.count('nodes') > 1
  if (hasOtherNode) await patchNode(ground, 'node-2', { spec: { unschedulable: true } })
  const annotations = { 'kubernetes.io/evict-policy': 'ControllerTakeOver' }
  const template = { metadata: { labels, annotations }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const spec = { replicas, selector: { matchLabels: labels }, template }
  await create(ground, replicaSets, { metadata: { name: 'web', namespace, annotations: strategy }, spec })
  await ground.pass(3_000)
  if (hasOtherNode) await patchNode(ground, 'node-2', { spec: { unschedulable: false } })
}

/** Until the controllers of its pods are asked to take them away. */
async function fallSilentUntilAsked(ground: LifeboatGround): Promise<void> {
  await patchNode(ground, 'node-1', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
  await blockedBy(ground, 'controllerTakeover')
}

/** One for each kind: the compiler asks for those that are missing. */
export const situations: { readonly [Kind in BlockerKind]: Situation } = {
  budget: {
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await drain(ground)
      return blockedBy(ground, 'budget')
    },
  },
  budgetUnclear: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      const pod = await arrangeRunningPod(ground)
      await arrangeBudget(ground, 'web')
      await evacuate(ground, pod)
      return blockedBy(ground, 'budgetUnclear')
    },
  },
  manyBudgets: {
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await arrangeBudget(ground, 'everything')
      await drain(ground)
      return blockedBy(ground, 'manyBudgets')
    },
  },
  admission: {
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await freezeEvictions(ground)
      await drain(ground)
      return blockedBy(ground, 'admission')
    },
  },
  throttled: {
    choices: { wrap: answeringEvictions(429, 'TooManyRequests', 'too many requests') },
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await drain(ground)
      return blockedBy(ground, 'throttled')
    },
  },
  evictionFailed: {
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await reviewEvictions(ground, 'guard.example.com')
      await drain(ground)
      return blockedBy(ground, 'evictionFailed')
    },
  },
  evictionForbidden: {
    choices: {
      wrap: answeringEvictions(
        403,
        'Forbidden',
        'pods "web-0" is forbidden: User "system:serviceaccount:lifeboat-system:lifeboat" cannot create resource "pods/eviction" in API group "" in the namespace "shop"',
      ),
    },
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await drain(ground)
      return blockedBy(ground, 'evictionForbidden')
    },
  },
  replacementUnschedulable: {
    bringAbout: async (ground) => {
      await arrangeApp(ground)
      await drain(ground)
      return blockedBy(ground, 'replacementUnschedulable')
    },
  },
  replacementNotReady: {
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeAppOfLuckyPod(ground)
      await drain(ground)
      return blockedBy(ground, 'replacementNotReady')
    },
  },
  replacementRefused: {
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeApp(ground)
      const quotas: Resource<KubernetesObject> = {
        group: '',
        version: 'v1',
        plural: 'resourcequotas',
        kind: 'ResourceQuota',
        namespaced: true,
      }
      await create(ground, quotas, { metadata: { name: 'few', namespace }, spec: { hard: { pods: '1' } } })
      await ground.pass(1_000)
      await drain(ground)
      return blockedBy(ground, 'replacementRefused')
    },
  },
  turn: {
    bringAbout: async (ground) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      await arrangeApp(ground, { replicas: 2, strategy })
      await drain(ground)
      return blockedBy(ground, 'turn')
    },
  },
  controllerTakeover: {
    bringAbout: async (ground) => {
      await arrangeTakeOver(ground, 1)
      await drain(ground)
      return blockedBy(ground, 'controllerTakeover')
    },
  },
  silentEvacuator: {
    waitedMs: 5 * 60_000,
    bringAbout: async (ground) => {
      await arrangePod(ground, {
        annotations: { 'evacuation.coordination.k8s.io/priority_backup.example.com': '5000' },
      })
      await drain(ground)
      return blockedBy(ground, 'silentEvacuator')
    },
  },
  finalizers: {
    bringAbout: async (ground) => {
      const pod = await arrangePod(ground, { terminationGracePeriodSeconds: 2 })
      const body = { metadata: { finalizers: ['backup.example.com/copy'] } }
      await ground.until(ground.admin.patch(pods, podRefOf(pod), { type: 'merge', body }))
      await drain(ground)
      return blockedBy(ground, 'finalizers')
    },
  },
  terminating: {
    ...withoutKubelet,
    waitedMs: 30_000,
    bringAbout: async (ground) => {
      await evacuate(ground, await arrangeRunningPod(ground, { terminationGracePeriodSeconds: 30 }))
      return blockedBy(ground, 'terminating')
    },
  },
  silentNode: {
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangePod(ground, { nodeName: 'node-1', terminationGracePeriodSeconds: 5 })
      await patchNode(ground, 'node-1', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
      await ground.pass(70_000)
      await drain(ground)
      return blockedBy(ground, 'silentNode')
    },
  },
  notUnderMaintenance: {
    bringAbout: async (ground) => {
      await openShop(ground)
      await evacuate(ground, await arrangeDaemonSet(ground))
      return blockedBy(ground, 'notUnderMaintenance')
    },
  },
  beyondDrainTargets: {
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await drain(ground)
      await blockedBy(ground, 'budget')
      await evacuate(ground, await arrangeDaemonSet(ground))
      return blockedBy(ground, 'beyondDrainTargets')
    },
  },
  holdNotCalled: {
    bringAbout: async (ground) => {
      await openShop(ground)
      await arrangeDaemonSet(ground)
      await excludeFromHold(ground, { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } })
      await drain(ground)
      return blockedBy(ground, 'holdNotCalled')
    },
  },
  cameBackUnheld: {
    bringAbout: async (ground) => {
      await openShop(ground)
      await arrangeDaemonSet(ground)
      await excludeFromHold(ground, { objectSelector: madeByNoController })
      await drain(ground)
      return blockedBy(ground, 'cameBackUnheld')
    },
  },
  noAgent: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground)
      const agent = await startNodeAgent(ground, 'node-1')
      await agent.kill()
      await drain(ground)
      return blockedBy(ground, 'noAgent')
    },
  },
  staticPodFromUrl: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground, { 'kubernetes.io/config.source': 'http' })
      await startNodeAgent(ground, 'node-1')
      await drain(ground)
      return blockedBy(ground, 'staticPodFromUrl')
    },
  },
  manifestNotFound: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground)
      await startNodeAgent(ground, 'node-1')
      await drain(ground)
      return blockedBy(ground, 'manifestNotFound')
    },
  },
  manifestPathIsFile: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground)
      const manifests = {
        path: '/etc/kubernetes/pod.yaml',
        list: async () => ({ kind: 'isFile' }) as const,
        take: () => Promise.reject(new Error('nothing is to be done')),
      }
      await startNodeAgent(ground, 'node-1', { manifests })
      await drain(ground)
      return blockedBy(ground, 'manifestPathIsFile')
    },
  },
  agentFailed: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground)
      const manifests = new MemoryFolder('node-1')
      await manifests.write('proxy.yaml', manifestOf('proxy', { namespace }))
      manifests.before = () => {
        throw Object.assign(new Error('EROFS: read-only file system, rename'), { code: 'EROFS' })
      }
      await startNodeAgent(ground, 'node-1', { manifests })
      await drain(ground)
      return blockedBy(ground, 'agentFailed')
    },
  },
  lastControlPlane: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      await arrangeMirror(ground, {}, 'kube-apiserver-node-1')
      await startNodeAgent(ground, 'node-1')
      await drain(ground)
      return blockedBy(ground, 'lastControlPlane')
    },
  },
  notEvictable: {
    ...withoutKubelet,
    bringAbout: async (ground) => {
      const annotations = { 'kubernetes.io/config.mirror': 'hash' }
      await evacuate(ground, await arrangeRunningPod(ground, { name: 'proxy-node-1', annotations }))
      return blockedBy(ground, 'notEvictable')
    },
  },
}

async function addNode(ground: LifeboatGround, name: string): Promise<void> {
  await create(ground, nodes, { metadata: { name } })
  await ground.pass(1_000)
}

/** Pods that wait for nothing that is typed: their turn, somebody else's words, nobody at all. */
export interface Story extends Omit<Situation, 'bringAbout'> {
  readonly name: string
  readonly bringAbout: (ground: LifeboatGround) => Promise<unknown>
  /** What is asked about, if it is not node-1. */
  readonly node?: string
  /** How the name of the pod begins that is asked about instead. */
  readonly pod?: string
}

/** As kubectl delete evacuations --all does. */
async function deleteEvacuations(ground: LifeboatGround, finalizers: readonly string[] = []): Promise<void> {
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace }))
  for (const { metadata } of items) {
    const key = { namespace, name: metadata.name }
    const body = { metadata: { finalizers: [...(metadata.finalizers ?? []), ...finalizers] } }
    await ground.until(ground.admin.patch(evacuations, key, { type: 'merge', body }))
    await ground.until(ground.admin.delete(evacuations, key))
  }
}

export const stories: readonly Story[] = [
  {
    name: 'a silent node is why a budget refuses',
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeApp(ground, { replicas: 1 })
      await arrangeBudget(ground, 'web')
      await patchNode(ground, 'node-1', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
      await ground.pass(70_000)
      await drain(ground)
    },
  },
  {
    name: 'a budget keeps a pod that is not ready',
    pod: 'web-0',
    bringAbout: async (ground) => {
      await arrangePod(ground, { neverReady: true })
      await arrangeBudget(ground, 'web')
      await drain(ground)
    },
  },
  {
    name: 'a budget keeps a pod of a Deployment that is not ready',
    bringAbout: async (ground) => {
      await arrangeApp(ground, { replicas: 2, pod: { neverReady: true } })
      await arrangeBudget(ground, 'web')
      await drain(ground)
    },
  },
  {
    name: 'a dead node asks the controller',
    nodes: 2,
    pod: 'web',
    bringAbout: async (ground) => {
      await arrangeTakeOver(ground, 1)
      await fallSilentUntilAsked(ground)
    },
  },
  {
    name: 'a dead node asks the controllers of its pods',
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeTakeOver(ground, 3)
      await fallSilentUntilAsked(ground)
    },
  },
  {
    name: 'the controller has acted, and its dead node ends nothing',
    nodes: 2,
    waitedMs: 60_000,
    bringAbout: async (ground) => {
      await arrangeTakeOver(ground, 3, { 'kubernetes.io/evict-strategy': '{"maxUnavailable":1}' })
      await fallSilentUntilAsked(ground)
    },
  },
  {
    name: 'a dead node asks the controller, and a maintenance drains it',
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeTakeOver(ground, 1)
      await fallSilentUntilAsked(ground)
      await drain(ground)
    },
  },
  {
    name: 'nothing drains the node',
    bringAbout: (ground) => arrangePod(ground),
  },
  {
    name: 'a pod that nobody wants gone',
    pod: 'web-0',
    bringAbout: (ground) => arrangePod(ground),
  },
  {
    name: 'an eviction request of others became an Evacuation',
    bringAbout: async (ground) => {
      await arrangeApp(ground)
      await patchNode(ground, 'node-1', { spec: { unschedulable: true } })
      const { items } = await ground.until(ground.admin.list(pods, { namespace }))
      for (const pod of items) await ground.until(ground.admin.evict(podRefOf(pod)))
    },
  },
  {
    name: 'a maintenance is announced',
    bringAbout: (ground) => maintain(ground, 'os-upgrade', selectNodes('node-1'), { stage: 'Idle' }),
  },
  {
    name: 'a maintenance only cordons',
    bringAbout: (ground) => maintain(ground, 'os-upgrade', selectNodes('node-1'), { stage: 'Cordon' }),
  },
  {
    name: 'a DaemonSet pod waits for its turn in the plan',
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await arrangeDaemonSet(ground)
      await drain(ground)
    },
  },
  {
    name: 'a DaemonSet pod waits for pods of another node',
    node: 'node-2',
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await addNode(ground, 'node-2')
      await arrangeDaemonSet(ground)
      await maintain(ground, 'os-upgrade', selectNodes('node-1', 'node-2'))
    },
  },
  {
    name: 'two maintenances share the node',
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await drain(ground)
      await ground.pass(2_000)
      await maintain(ground, 'new-disks', selectNodes('node-1'))
    },
  },
  {
    name: 'somebody deleted an Evacuation, and something else holds it',
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await drain(ground)
      await ground.pass(2_000)
      await deleteEvacuations(ground, ['example.com/audit'])
    },
  },
  {
    name: 'somebody deleted an Evacuation, and the drain has asked again',
    bringAbout: async (ground) => {
      await arrangePod(ground)
      await arrangeBudget(ground, 'web')
      await drain(ground)
      await ground.pass(2_000)
      await deleteEvacuations(ground)
    },
  },
  {
    name: 'the node is drained',
    nodes: 2,
    bringAbout: async (ground) => {
      await arrangeApp(ground)
      await drain(ground)
    },
  },
  {
    name: 'a DaemonSet pod is kept off the drained node',
    pod: 'logs',
    bringAbout: async (ground) => {
      await openShop(ground)
      await arrangeDaemonSet(ground)
      await drain(ground)
    },
  },
  {
    name: 'a static pod stays',
    controllers: false,
    bringAbout: async (ground) => {
      await arrangeRunningPod(ground, {
        name: 'proxy-node-1',
        annotations: { 'kubernetes.io/config.mirror': 'hash' },
      })
      await drain(ground)
    },
  },
  {
    name: 'an evacuator has its turn',
    waitedMs: 1_000,
    bringAbout: async (ground) => {
      await arrangePod(ground, {
        annotations: { 'evacuation.coordination.k8s.io/priority_backup.example.com': '5000' },
      })
      await drain(ground)
    },
  },
  {
    name: 'a replacement is about to be started',
    nodes: 2,
    waitedMs: 3_000,
    bringAbout: drainSlowStarter,
  },
  {
    name: 'a replacement is on its way',
    nodes: 2,
    waitedMs: 8_000,
    bringAbout: drainSlowStarter,
  },
  {
    name: 'an evacuator of others says in its own words what it waits for',
    bringAbout: async (ground) => {
      const evacuatorClass = 'backup.example.com'
      await arrangePod(ground, {
        annotations: { [`evacuation.coordination.k8s.io/priority_${evacuatorClass}`]: '5000' },
      })
      await drain(ground)
      await ground.pass(2_000)
      const { items } = await ground.until(ground.admin.list(evacuations, { namespace }))
      const condition = {
        type: 'Blocked',
        status: 'True',
        reason: 'CopyRunning',
        message: 'copied 3 of 8 \u001B[31mGiB',
        lastTransitionTime: '2030-01-01T00:00:00Z',
      }
      const status = { conditions: [condition] }
      for (const { metadata } of items) {
        const key = { namespace, name: metadata.name }
        const patch = { type: 'merge', body: { status } } as const
        await ground.until(ground.admin.patch(evacuations, key, patch, { subresource: 'status' }))
      }
    },
  },
  {
    name: 'an evacuator forbids the cancellation, and no instigator wants it any more',
    pod: 'web-0',
    bringAbout: async (ground) => {
      const pod = await arrangePod(ground, {
        annotations: { 'evacuation.coordination.k8s.io/priority_backup.example.com': '5000' },
      })
      await evacuate(ground, podRefOf(pod))
      await ground.pass(2_000)
      const key = { namespace, name: evacuationName(podRefOf(pod)) }
      const forbid = { status: { evacuationCancellationPolicy: 'Forbid' } }
      const patch = { type: 'merge', body: forbid } as const
      await ground.until(ground.admin.patch(evacuations, key, patch, { subresource: 'status' }))
      const withdraw = { type: 'merge', body: { metadata: { finalizers: [] } } } as const
      await ground.until(ground.admin.patch(evacuations, key, withdraw))
    },
  },
  {
    name: 'a pod takes its time to end',
    waitedMs: 5_000,
    bringAbout: async (ground) => {
      await arrangePod(ground, { terminationGracePeriodSeconds: 60, terminateAfter: '60s' })
      await drain(ground)
    },
  },
]
