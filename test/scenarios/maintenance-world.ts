import { isDeepStrictEqual } from 'node:util'
import {
  buildMirrorPod,
  parseStaticPods,
  staticPodsAnnotation,
} from '../../src/embedded/controllers/kubelet/static-pods.ts'
import { buildNode, type NodeOptions } from '../build/nodes-and-pods.ts'
import type { LifeboatSwitch } from './daemon-set-evacuation.ts'
import { evacuationsPath, podsPath, priorityOf, type EvacuationWorld, type PodKey } from './lifeboat-world.ts'
import type { Departures } from './departures.ts'
import type { ReadinessSampler } from './readiness-sampler.ts'
import type { StoryNeeds, World } from './scenario.ts'
import { merge, type PodSeen } from './workload-world.ts'

// What stories about NodeMaintenances share. Nodes, maintenances and priority classes are in no namespace: they bear that
// of the story in their names, `one` is really `NS-one`, and only stories and their observations leave it out.

export interface MaintenanceWorld extends EvacuationWorld {
  readonly lifeboat: LifeboatSwitch
  /** Of the namespace, from now on. */
  sampleReadiness(): Promise<ReadinessSampler>
  /** Of the namespace, from now on. */
  sampleDepartures(): Promise<Departures>
}

export interface MaintenanceScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: MaintenanceWorld) => Promise<void>
}

export const maintenancesPath = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
export const priorityClassesPath = '/apis/scheduling.k8s.io/v1/priorityclasses'
export const nodePath = (node: string) => `/api/v1/nodes/NS-${node}`
export const maintenancePath = (name: string) => `${maintenancesPath}/NS-${name}`
export const ownFinalizer = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'

const statusAnnotation = 'nodemaintenance.k8s.io/maintenance-status'
const cordonAnnotation = 'nodemaintenance.k8s.io/cordoned'
const completionFinalizer = 'nodemaintenance.k8s.io/maintenance-completion'

export interface Entry {
  readonly podPriority: number
  readonly podType: 'Default' | 'DaemonSet' | 'Static'
  readonly podSelector?: object
}

export type Stage = 'Idle' | 'Cordon' | 'Drain' | 'Complete'

export const all = 2_147_483_647

// Nodes.

/** Nodes that only pods of this story go to; ready when this resolves. */
export async function arrangeMachines(
  world: World,
  names: readonly string[],
  options: Omit<NodeOptions, 'name'> = {},
): Promise<void> {
  for (const name of names) await addMachine(world, name, options)
  for (const name of names) await isReadyMachine(world, name)
}

export async function addMachine(
  world: World,
  name: string,
  options: Omit<NodeOptions, 'name'> & { readonly spec?: object } = {},
): Promise<void> {
  const { labels, spec, ...rest } = options
  const node = buildNode({
    ...rest,
    name: `${world.namespace}-${name}`,
    labels: { scenario: world.namespace, ...labels },
  })
  await world.arrange('POST', '/api/v1/nodes', { ...node, spec: { ...(node['spec'] as object), ...spec } })
}

export async function isReadyMachine(world: World, name: string): Promise<void> {
  await world.eventually(
    `node ${name} gets ready`,
    async () => (await world.read(nodePath(name))).body as unknown as NodeSeen,
    ({ status, spec }) =>
      (status?.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True') &&
      !(spec.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready'),
  )
}

export async function setUnschedulable(world: World, node: string, unschedulable: boolean): Promise<void> {
  await world.arrange('PATCH', nodePath(node), { spec: { unschedulable: unschedulable ? true : null } }, merge)
}

export async function label(world: World, node: string, labels: Readonly<Record<string, string | null>>) {
  await world.arrange('PATCH', nodePath(node), { metadata: { labels } }, merge)
}

export interface NodeSeen {
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly { readonly key: string }[] }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

export interface NodeStatusSeen {
  readonly drainTargets: readonly Entry[]
  readonly drainMessage: string
  readonly podsPendingEvacuation: number
  readonly podsEvacuating: number
}

export async function lookAtNode(world: World, node: string): Promise<NodeSeen | undefined> {
  const { status, body } = await world.read(nodePath(node))
  return status === 404 ? undefined : (body as unknown as NodeSeen)
}

export function statusOfNode({ metadata }: NodeSeen): NodeStatusSeen | undefined {
  const text = metadata.annotations?.[statusAnnotation]
  return text === undefined ? undefined : (JSON.parse(text) as NodeStatusSeen)
}

/** Annotations and labels that say that a node is under maintenance. */
export function marksOf({ metadata: { annotations, labels } }: NodeSeen): string[] {
  return Object.keys({ ...annotations, ...labels }).filter((key) => key.startsWith('nodemaintenance.k8s.io/'))
}

/**
 * `schedulable`, `cordoned`; under a maintenance `cordoned by Lifeboat` or, where somebody else had done it before,
 * `kept cordoned`, and how its drain goes.
 */
function nodeLine(node: NodeSeen | undefined): string {
  if (node === undefined) return 'gone'
  const status = statusOfNode(node)
  const isCordoned = node.spec.unschedulable === true
  if (status === undefined) {
    const marks = marksOf(node)
    return `${isCordoned ? 'cordoned' : 'schedulable'}${marks.length > 0 ? `, and marked by ${marks.join(', ')}` : ''}`
  }
  const isOurs = node.metadata.annotations?.[cordonAnnotation] !== undefined
  const cordon = `${isOurs ? 'cordoned by Lifeboat' : 'kept cordoned'}${isCordoned ? '' : ', yet schedulable'}`
  if (status.drainTargets.length === 0) return cordon
  const { drainMessage, podsPendingEvacuation, podsEvacuating } = status
  return `${cordon}: ${drainMessage}; ${podsPendingEvacuation} pending, ${podsEvacuating} evacuating`
}

// Maintenances.

export interface MaintenanceChoices {
  readonly stage?: Stage
  /** By their names. */
  readonly nodes?: readonly string[]
  /** By a label of theirs, instead. */
  readonly labelled?: Readonly<Record<string, string>>
  readonly drainPlan?: readonly Entry[]
  readonly reason?: string
}

export async function announce(world: World, name: string, choices: MaintenanceChoices): Promise<void> {
  const { stage = 'Drain', nodes = [], labelled, drainPlan, reason } = choices
  const byName = nodes.map((node) => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [`NS-${node}`] }],
  }))
  const byLabel = Object.entries(labelled ?? {}).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
  await world.arrange('POST', maintenancesPath, {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: `NS-${name}` },
    spec: {
      nodeSelector: { nodeSelectorTerms: labelled === undefined ? byName : [{ matchExpressions: byLabel }] },
      stage,
      ...(drainPlan === undefined ? {} : { drainPlan }),
      ...(reason === undefined ? {} : { reason }),
    },
  })
}

export async function moveTo(world: World, name: string, stage: Stage): Promise<void> {
  await world.arrange('PATCH', maintenancePath(name), { spec: { stage } }, merge)
}

export async function remove(world: World, name: string): Promise<void> {
  await world.arrange('DELETE', maintenancePath(name))
}

export interface MaintenanceSeen {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly stage: Stage }
  readonly status: {
    readonly stageStatuses?: readonly { readonly name: Stage; readonly startTimestamp?: string }[]
    readonly drainStatus: {
      readonly reachedDrainTargets?: readonly Entry[]
      readonly drainMessage: string
      readonly nodesTotal: number
      readonly nodesDrained: number
      readonly podsPendingEvacuation: number
      readonly podsEvacuating: number
    }
    readonly nodeStatuses?: readonly (NodeStatusSeen & { readonly nodeRef: { readonly name: string } })[]
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason: string
      readonly message: string
    }[]
  }
}

export async function lookAtMaintenance(world: World, name: string): Promise<MaintenanceSeen | undefined> {
  const { status, body } = await world.read(maintenancePath(name))
  return status === 404 ? undefined : (body as unknown as MaintenanceSeen)
}

export function conditionOf(seen: MaintenanceSeen | undefined, type: string) {
  return seen?.status.conditions?.find((condition) => condition.type === type)
}

/** `Idle`; `Drain, held: Evacuating; 1 of 2 nodes drained; 3 pending, 4 evacuating`; `Complete, completed`; `gone`. */
export function maintenanceLine(seen: MaintenanceSeen | undefined): string {
  if (seen === undefined) return 'gone'
  const { stage } = seen.spec
  const isTrue = (type: string) => conditionOf(seen, type)?.status === 'True'
  const words = [
    stage,
    ...(seen.metadata.finalizers?.includes(completionFinalizer) === true ? ['held'] : []),
    ...(stage === 'Drain' && isTrue('Drained') ? ['drained'] : []),
    ...(isTrue('Completed') ? ['completed'] : []),
  ].join(', ')
  if (stage !== 'Drain') return words
  const { drainMessage, nodesTotal, nodesDrained, podsPendingEvacuation, podsEvacuating } = seen.status.drainStatus
  const counts = `${podsPendingEvacuation} pending, ${podsEvacuating} evacuating`
  return `${words}: ${drainMessage}; ${nodesDrained} of ${nodesTotal} nodes drained; ${counts}`
}

// What a story sees.

/** In stories and observations names are without the namespace before them. */
export function plain<T>(world: World, value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(`${world.namespace}-`, '')) as T
}

export interface Picture {
  readonly nodes?: Readonly<Record<string, string>>
  readonly maintenances?: Readonly<Record<string, string>>
}

async function pictureOf(world: World, like: Picture): Promise<Picture> {
  const nodes: Record<string, string> = {}
  for (const name of Object.keys(like.nodes ?? {})) nodes[name] = nodeLine(await lookAtNode(world, name))
  const maintenances: Record<string, string> = {}
  for (const name of Object.keys(like.maintenances ?? {})) {
    maintenances[name] = maintenanceLine(await lookAtMaintenance(world, name))
  }
  const { nodes: _, maintenances: __, ...neither } = like
  return plain(world, {
    ...neither,
    ...(like.nodes === undefined ? {} : { nodes }),
    ...(like.maintenances === undefined ? {} : { maintenances }),
  })
}

/** Waits until nodes and maintenances are as described, and notes it. */
export async function becomes(world: World, what: string, expected: Picture): Promise<void> {
  const seen = await world.eventually(
    `${what}: ${JSON.stringify(expected)}`,
    () => pictureOf(world, expected),
    (picture) => isDeepStrictEqual(picture, expected),
  )
  world.observe(what, seen)
}

/** They are so at this very moment. */
export async function isAlready(world: World, what: string, expected: Picture): Promise<void> {
  const seen = await pictureOf(world, expected)
  if (!isDeepStrictEqual(seen, expected)) {
    throw new Error(`${what}: ${JSON.stringify(expected)} is ${JSON.stringify(seen)} by now`)
  }
  world.observe(what, seen)
}

/** They are so already, and still are after a while. */
export async function remains(
  world: MaintenanceWorld,
  what: string,
  expected: Picture,
  milliseconds = 2_500,
): Promise<void> {
  await becomes(world, what, expected)
  await world.pass(milliseconds)
  await isAlready(world, `${what}, still`, expected)
}

/** Asks again and again until something deep is exactly this, and notes it. */
export async function shows<T>(world: World, what: string, look: () => Promise<T>, expected: T): Promise<void> {
  const seen = await world.eventually(
    `${what}: ${JSON.stringify(expected)}`,
    async () => plain(world, await look()),
    (value) => isDeepStrictEqual(value, expected),
  )
  world.observe(what, seen)
}

// Pods.

const patience = 'patience.example.com'

/** An evacuator that says nothing, for half an hour: whoever has it stays until the story takes it away. */
export const held = { [priorityOf(patience)]: '100' }
export const classOfHeld = patience

export interface PodChoices {
  readonly annotations?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  /** Of a class made by `arrangePriorities`. */
  readonly priority?: number
  readonly spec?: object
}

export async function arrangePriorities(world: World, values: readonly number[]): Promise<void> {
  for (const value of values) {
    await world.arrange('POST', priorityClassesPath, { metadata: { name: `NS-${value}` }, value })
  }
}

/** A bare pod, bound to its node without asking the scheduler. */
export async function put(world: World, node: string, name: string, choices: PodChoices = {}): Promise<PodKey> {
  const { annotations = {}, labels = {}, finalizers = [], priority, spec = {} } = choices
  const { body } = await world.arrange('POST', podsPath, {
    metadata: { name, namespace: 'NS', labels: { app: name, ...labels }, annotations, finalizers },
    spec: {
      nodeName: `NS-${node}`,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'web:1' }],
      ...(priority === undefined ? {} : { priorityClassName: `NS-${priority}` }),
      ...spec,
    },
  })
  return body['metadata'] as PodKey
}

/** So many pods of a priority that stay until the story takes them away: `one-5000-0` and so on. */
export async function putMany(world: World, node: string, priority: number, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await put(world, node, `${node}-${priority}-${at}`, { priority, annotations: held })
  }
}

/** As an evacuator does in the end. */
export async function takeAway(world: World, name: string): Promise<void> {
  await world.arrange('DELETE', `${podsPath}/${name}`, { gracePeriodSeconds: 0 })
}

/** Those of `putMany`, from one up to another. */
export async function takeAwayMany(
  world: World,
  node: string,
  priority: number,
  { from = 0, to }: { readonly from?: number; readonly to: number },
): Promise<void> {
  for (let at = from; at < to; at++) await takeAway(world, `${node}-${priority}-${at}`)
}

export async function podIs(world: World, what: string, name: string, isRight: (pod: PodSeen) => boolean) {
  return world.eventually(
    what,
    async () => (await world.read(`${podsPath}/${name}`)).body as unknown as PodSeen,
    (pod) => pod.metadata?.name === name && isRight(pod),
  )
}

export async function podsAre(world: World, what: string, names: readonly string[]): Promise<void> {
  const wanted = names.toSorted()
  const seen = await world.eventually(
    `${what}: ${wanted.join()}`,
    async () => {
      const pods = (await world.read(podsPath)).body['items'] as PodSeen[]
      const there = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return there.map(({ metadata }) => metadata.name).toSorted()
    },
    (there) => there.join() === wanted.join(),
  )
  world.observe(what, seen)
}

/**
 * A static pod on its node, as a kubelet has it: the embedded cluster's reads the manifest from the node and shows the
 * mirror; where nobody does, the story shows it.
 */
export async function putStatic(world: MaintenanceWorld, node: string, name: string, choices: PodChoices = {}) {
  const { annotations = {}, labels = {}, priority, spec = {} } = choices
  const manifest = {
    metadata: { name, namespace: world.namespace, annotations, labels },
    spec: {
      containers: [{ name: 'main', image: 'static:1' }],
      ...(priority === undefined ? {} : { priorityClassName: `${world.namespace}-${priority}` }),
      ...spec,
    },
  }
  const body = { metadata: { annotations: { [staticPodsAnnotation]: JSON.stringify([manifest]) } } }
  const { body: found } = await world.arrange('PATCH', nodePath(node), body, merge)
  const parsed = parseStaticPods(found as unknown as Parameters<typeof parseStaticPods>[0])
  if (parsed.kind === 'invalid') throw new Error(parsed.message)
  const [pod] = parsed.pods
  if (pod === undefined) throw new Error('there is a manifest')
  const mirror = buildMirrorPod(
    pod,
    found as unknown as Parameters<typeof buildMirrorPod>[1],
    new Date(world.nowMs()).toISOString(),
  )
  const { status } = await world.attempt('POST', podsPath, mirror)
  if (status !== 201 && status !== 409) throw new Error(`the mirror of ${name}: ${status}`)
  return pod.name
}

// Evacuations.

export interface EvacuationOfPod {
  readonly metadata: {
    readonly name: string
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly podRef: PodKey; readonly progressDeadlineSeconds: number }
  readonly status: { readonly activeEvacuatorClass?: string; readonly message: string }
}

export async function evacuationsOf(world: World): Promise<EvacuationOfPod[]> {
  const { status, body } = await world.read(evacuationsPath)
  if (status !== 200) throw new Error(`${status}`)
  return body['items'] as EvacuationOfPod[]
}

/** Waits until exactly these pods have Evacuations that the maintenances want. */
export async function areEvacuated(world: World, what: string, names: readonly string[]): Promise<void> {
  const wanted = names.toSorted()
  const seen = await world.eventually(
    `${what}: ${wanted.join()}`,
    async () => {
      const own = (await evacuationsOf(world)).filter(({ metadata }) => metadata.finalizers?.includes(ownFinalizer))
      return own.map(({ spec }) => spec.podRef.name).toSorted()
    },
    (found) => found.join() === wanted.join(),
  )
  world.observe(what, seen)
}

// Events.

interface EventSeen {
  readonly type: string
  readonly reason: string
  readonly message: string
  /** How often it was said. */
  readonly count: number
}

export async function eventsAbout(
  world: World,
  kind: 'Node' | 'NodeMaintenance',
  name: string,
  reason: string,
): Promise<EventSeen[]> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${world.namespace}-${name},reason=${reason}`
  const { status, body } = await world.read('/api/v1/namespaces/default/events', { fieldSelector })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return (body['items'] as EventSeen[]).map(({ type, message, count }) =>
    plain(world, { type, reason, message, count }),
  )
}

/** Something was said, and once. */
export async function isSaidOnce(
  world: MaintenanceWorld,
  kind: 'Node' | 'NodeMaintenance',
  name: string,
  reason: string,
): Promise<EventSeen> {
  const event = await onlyEvent(world, kind, name, reason)
  if (event.count !== 1) throw new Error(`said ${event.count} times: ${JSON.stringify(event)}`)
  world.observe(`event about ${name}`, event)
  return event
}

/** Something was said in one Event, which counts how often: at once, and perhaps again after half a minute. */
export async function isSaidSeldom(
  world: MaintenanceWorld,
  kind: 'Node' | 'NodeMaintenance',
  name: string,
  reason: string,
): Promise<EventSeen> {
  const { count, ...event } = await onlyEvent(world, kind, name, reason)
  if (count > 2) throw new Error(`said ${count} times: ${JSON.stringify(event)}`)
  world.observe(`event about ${name}`, event)
  return { ...event, count }
}

async function onlyEvent(
  world: MaintenanceWorld,
  kind: 'Node' | 'NodeMaintenance',
  name: string,
  reason: string,
): Promise<EventSeen> {
  const events = await world.eventually(
    `the event ${reason} about ${name}`,
    () => eventsAbout(world, kind, name, reason),
    (found) => found.length > 0,
  )
  const [event] = events
  if (event === undefined || events.length > 1) throw new Error(`said more than once: ${JSON.stringify(events)}`)
  return event
}
