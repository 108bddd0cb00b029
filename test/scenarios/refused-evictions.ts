import {
  arrangeOneNode,
  arrangePod,
  evacuate,
  isOver,
  look,
  podsPath,
  stays,
  type EvacuationScenario,
  type EvacuationSeen,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { arrangeNodes, isReady, paths, podsOf, template } from './workload-world.ts'

// Evictions that fail for a reason that is neither a budget nor the pod.

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'

/** An admission webhook of another party, for the evictions of this story: nothing listens at that port. */
async function arrangeDeadWebhook(world: EvacuationWorld): Promise<AsyncDisposable> {
  const webhook = {
    name: 'guard.example.com',
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    timeoutSeconds: 1,
    clientConfig: { url: 'https://127.0.0.1:1/guard' },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
  }
  await world.arrange('POST', configurations, { metadata: { name: 'guard-NS' }, webhooks: [webhook] })
  return { [Symbol.asyncDispose]: async () => void (await world.attempt('DELETE', `${configurations}/guard-NS`, {})) }
}

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'

/** A policy of another party that forbids the evictions of this story. It counts a moment after it was created. */
async function arrangeForbiddingPolicy(world: EvacuationWorld, pod: PodKey): Promise<AsyncDisposable> {
  const metadata = { name: 'freeze-NS' }
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }]
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } }
  const validations = [{ expression: 'false', message: 'no evictions this week', reason: 'Forbidden' }]
  await world.arrange('POST', policies, {
    metadata,
    spec: { failurePolicy: 'Fail', matchConstraints: { namespaceSelector, resourceRules }, validations },
  })
  await world.arrange('POST', policies.replace(/policies$/, 'policybindings'), {
    metadata,
    spec: { policyName: 'freeze-NS', validationActions: ['Deny'] },
  })
  const eviction = { metadata: { name: pod.name, namespace: 'NS' }, deleteOptions: { dryRun: ['All'] } }
  await world.eventually(
    'the policy counts',
    () =>
      world.attempt('POST', `${podsPath}/${pod.name}/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        ...eviction,
      }),
    ({ status }) => status === 403,
  )
  return { [Symbol.asyncDispose]: async () => void (await world.attempt('DELETE', `${policies}/freeze-NS`, {})) }
}

interface Blocked {
  readonly blockedBy?: readonly { readonly kind: string; readonly webhook?: string; readonly message?: string }[]
}

/** Its words are those of the network, which differ. */
async function isHeldUpByWebhook(world: EvacuationWorld, pod: PodKey, failuresMin: number): Promise<void> {
  const seen = await world.eventually(
    'it says that the webhook holds it up',
    async (): Promise<(EvacuationSeen['status'] & Blocked) | undefined> => (await look(world, pod))?.status,
    (status) => status?.blockedBy?.[0]?.kind === 'evictionFailed' && status.failedEvictionCounter >= failuresMin,
  )
  const condition = seen?.conditions?.find(({ type }) => type === 'Blocked')
  const { kind, webhook } = seen?.blockedBy?.[0] ?? {}
  world.observe('it says what holds it up', { kind, webhook, reason: condition?.reason, status: condition?.status })
}

export const refusedEvictions: readonly EvacuationScenario[] = [
  {
    name: "while another party's admission webhook is dead, evictions fail: the Evacuation names it, counts and backs off, and the pod goes after the webhook is taken away",
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      await using webhook = await arrangeDeadWebhook(world)
      const startedMs = world.nowMs()
      await evacuate(world, pod)
      await isHeldUpByWebhook(world, pod, 3)
      // 1 s and 2 s, less a tenth of each for the jitter.
      world.observe('it backs off', world.nowMs() - startedMs >= 2_600)
      world.observe('eviction calls', await world.evictionCalls())
      await stays(world, pod)
      await webhook[Symbol.asyncDispose]()
      await isOver(world, pod)
    },
  },
  {
    name: 'while a policy of another party forbids evictions, the Evacuation says so in its words, counts and backs off, and the pod goes after the policy is taken away',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      await using policy = await arrangeForbiddingPolicy(world, pod)
      const startedMs = world.nowMs()
      await evacuate(world, pod)
      const seen = await world.eventually(
        'it says that its eviction was denied',
        async (): Promise<(EvacuationSeen['status'] & Blocked) | undefined> => (await look(world, pod))?.status,
        (status) => status?.blockedBy?.[0]?.kind === 'admission' && status.failedEvictionCounter >= 3,
      )
      world.observe('it backs off', world.nowMs() - startedMs >= 2_600)
      world.observe('in the words of the policy', seen?.blockedBy?.[0]?.message?.includes('no evictions this week'))
      await stays(world, pod)
      await policy[Symbol.asyncDispose]()
      await isOver(world, pod)
    },
  },
  {
    name: 'an evacuator whose eviction fails because of a dead admission webhook says the same, and goes on after it is taken away',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const selector = { matchLabels: { app: 'web' } }
      const metadata = { name: 'web', namespace: 'NS' }
      const spec = { replicas: 1, selector, template: template(world, { spec: { terminationGracePeriodSeconds: 1 } }) }
      await world.arrange('POST', paths.deployments, { metadata, spec })
      const [seen] = await world.eventually(
        'its pod is ready',
        () => podsOf(world),
        (pods) => pods.length === 1 && pods.every(isReady),
      )
      const pod = { name: seen?.metadata.name ?? '', uid: seen?.metadata.uid ?? '' }
      await using webhook = await arrangeDeadWebhook(world)
      await evacuate(world, pod)
      await isHeldUpByWebhook(world, pod, 0)
      await stays(world, pod)
      await webhook[Symbol.asyncDispose]()
      await isOver(world, pod)
    },
  },
]
