import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { StoryNeeds, World } from './scenario.ts'
import { arrangeNodes, merge } from './workload-world.ts'

// What stories about evacuations share. Lifeboat runs on the cluster, in whatever form the ground has it.

export interface EvacuationWorld extends World {
  /** By the clock of the cluster. */
  nowMs(): number
  /** Lets time pass: really, or on a virtual clock. */
  pass(milliseconds: number): Promise<void>
  /** How many eviction requests the API server has had in this namespace, by whomever. */
  evictionCalls(): Promise<number>
}

export interface EvacuationScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: EvacuationWorld) => Promise<void>
}

export const evacuationsPath = '/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/NS/evacuations'
export const podsPath = '/api/v1/namespaces/NS/pods'
export const budgetsPath = '/apis/policy/v1/namespaces/NS/poddisruptionbudgets'
export const instigator = instigatorFinalizer('drill.example.com')
export const priorityOf = (evacuatorClass: string) => `evacuation.coordination.k8s.io/priority_${evacuatorClass}`

export interface PodKey {
  readonly name: string
  readonly uid: string
}

export interface PodChoices {
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly object[]
  readonly finalizers?: readonly string[]
  readonly spec?: object
  /** Waits for this phase, and for Ready if it is Running. */
  readonly phase?: 'Running' | 'Pending'
  readonly ready?: boolean
}

/** A bare pod on a node of this scenario. */
export async function arrangePod(world: World, name = 'web', choices: PodChoices = {}): Promise<PodKey> {
  const { annotations = {}, finalizers = [], ownerReferences = [], spec = {}, ready = true } = choices
  await world.arrange('POST', podsPath, {
    metadata: { name, namespace: 'NS', labels: { app: 'web' }, annotations, finalizers, ownerReferences },
    spec: {
      nodeSelector: { scenario: world.namespace },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'web:1' }],
      ...spec,
    },
  })
  const { body } = await world.eventually(
    `pod ${name} runs`,
    () => world.read(`${podsPath}/${name}`),
    ({ body: pod }) => isRunning(pod, ready),
  )
  return keyOf(body)
}

function isRunning(pod: Record<string, unknown>, ready: boolean): boolean {
  const { phase, conditions = [] } = (pod['status'] ?? {}) as PodStatus
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  return phase === 'Running' && isReady === ready
}

interface PodStatus {
  readonly phase?: string
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
}

export function keyOf(body: Record<string, unknown>): PodKey {
  const { name, uid } = body['metadata'] as PodKey
  return { name, uid }
}

export async function arrangeOneNode(world: World): Promise<void> {
  await arrangeNodes(world, 1)
}

export interface EvacuationChoices {
  readonly evacuators?: readonly object[]
  readonly finalizers?: readonly string[]
  readonly progressDeadlineSeconds?: number
}

export function evacuationOf(pod: PodKey, choices: EvacuationChoices = {}): Record<string, unknown> {
  const { evacuators, finalizers = [instigator], progressDeadlineSeconds = 600 } = choices
  return {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: { name: evacuationName(pod), namespace: 'NS', finalizers },
    spec: { podRef: { name: pod.name, uid: pod.uid }, progressDeadlineSeconds, ...(evacuators && { evacuators }) },
  }
}

export async function evacuate(world: World, pod: PodKey, choices: EvacuationChoices = {}): Promise<void> {
  await world.arrange('POST', evacuationsPath, evacuationOf(pod, choices))
}

export const pathOf = (pod: PodKey) => `${evacuationsPath}/${evacuationName(pod)}`

export interface EvacuationSeen {
  readonly metadata: {
    readonly uid: string
    readonly finalizers?: readonly string[]
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
    readonly resourceVersion: string
  }
  readonly spec: { readonly evacuators?: readonly { readonly evacuatorClass: string; readonly priority: number }[] }
  readonly status: {
    readonly activeEvacuatorClass?: string
    readonly activeEvacuatorCompleted: boolean
    readonly evacuationProgressTimestamp?: string
    readonly expectedEvacuationFinishTime?: string
    readonly evacuationCancellationPolicy: string
    readonly failedEvictionCounter: number
    readonly message: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  }
}

export async function look(world: World, pod: PodKey): Promise<EvacuationSeen | undefined> {
  const { status, body } = await world.read(pathOf(pod))
  return status === 404 ? undefined : (body as unknown as EvacuationSeen)
}

/** Writes the status as an evacuator does. */
export async function report(world: World, pod: PodKey, status: object): Promise<void> {
  await world.arrange('PATCH', `${pathOf(pod)}/status`, { status }, merge)
}

/** Waits for an Evacuation that is right, and notes what of it is the same on every cluster. */
export async function becomes(
  world: World,
  pod: PodKey,
  what: string,
  isRight: (seen: EvacuationSeen) => boolean,
): Promise<EvacuationSeen> {
  const seen = await world.eventually(
    what,
    () => look(world, pod),
    (found) => found !== undefined && isRight(found),
  )
  if (seen === undefined) throw new Error('eventually returns what is right')
  const { activeEvacuatorClass, activeEvacuatorCompleted, expectedEvacuationFinishTime, message } = seen.status
  const blocked = seen.status.conditions?.find(({ type }) => type === 'Blocked')
  world.observe(what, {
    activeEvacuatorClass,
    activeEvacuatorCompleted,
    expectedEvacuationFinishTime,
    // Some names are drawn.
    message: message.replaceAll(pod.name, 'POD'),
    blocked: blocked === undefined ? undefined : { status: blocked.status, reason: blocked.reason },
  })
  return seen
}

export async function isGone(world: World, path: string): Promise<void> {
  await world.eventually(
    `${path} goes`,
    () => world.read(path),
    ({ status }) => status === 404,
  )
  world.observe(`${path.split('/').at(-2)} is gone`, true)
}

/** Both the pod and its Evacuation. */
export async function isOver(world: World, pod: PodKey): Promise<void> {
  await world.eventually(
    `pod ${pod.name} goes`,
    () => world.read(`${podsPath}/${pod.name}`),
    ({ status, body }) => status === 404 || keyOf(body).uid !== pod.uid,
  )
  await isGone(world, pathOf(pod))
}

/** Nothing happens to the pod for a while. */
export async function stays(world: EvacuationWorld, pod: PodKey, milliseconds = 2_000): Promise<void> {
  await world.pass(milliseconds)
  const { status, body } = await world.read(`${podsPath}/${pod.name}`)
  const { uid, deletionTimestamp } = (body['metadata'] ?? {}) as PodKey & { deletionTimestamp?: string }
  const isThere = status === 200 && uid === pod.uid && deletionTimestamp === undefined
  if (!isThere) throw new Error(`pod ${pod.name} should have stayed: ${status} ${JSON.stringify(body['metadata'])}`)
  world.observe('the pod stays', true)
}

export const at = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')

export function budget(name: string, spec: object): object {
  return { metadata: { name, namespace: 'NS' }, spec: { selector: { matchLabels: { app: 'web' } }, ...spec } }
}

/** A budget whose numbers stand. */
export async function arrangeBudget(world: World, name: string, spec: object, expected: object): Promise<void> {
  await world.arrange('POST', budgetsPath, budget(name, spec))
  await world.eventually(
    `budget ${name} is counted`,
    async () => ((await world.read(`${budgetsPath}/${name}`)).body['status'] ?? {}) as Record<string, unknown>,
    (status) => Object.entries(expected).every(([key, value]) => (status[key] ?? 0) === value),
  )
}
