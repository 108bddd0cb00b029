import type { Availability, Sampler } from './availability-sampler.ts'
import { annotationsFor, type PodBehaviour } from '../build/nodes-and-pods.ts'
import { arrangeBudget, evacuate, look, pathOf, type EvacuationWorld, type PodKey } from './lifeboat-world.ts'
import { sampleFrom } from './sample-from.ts'
import type { StoryNeeds } from './scenario.ts'
import { arrangeNodes, merge, paths, podsOf, template, type PodSeen } from './workload-world.ts'

// What stories about the evacuation of Deployments share.

export interface DeploymentWorld extends EvacuationWorld {
  /** Of the namespace, from its beginning on. */
  readonly sampler: Sampler
}

export interface DeploymentScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: DeploymentWorld) => Promise<void>
}

export interface App {
  readonly replicas: number
  /** Nodes for it, at least two. */
  readonly nodes?: number
  readonly strategy?: object
  readonly spec?: object
  readonly annotations?: Readonly<Record<string, string>>
  readonly podAnnotations?: Readonly<Record<string, string>>
  readonly podSpec?: object
  readonly budget?: object
}

export const deploymentPath = `${paths.deployments}/web`
export const hashLabel = 'pod-template-hash'
export const releasedFrom = 'evacuation.coordination.k8s.io/released-from'
export const classOfDeployments = 'deployment.apps.k8s.io'
const labels = { app: 'web' }

/** A Deployment with a Service and a budget, all its pods ready. */
export async function arrangeApp(
  world: DeploymentWorld,
  app: App,
  begin: () => Promise<void> = async () => {},
): Promise<readonly PodSeen[]> {
  const { replicas, nodes = 3, strategy, spec = {}, annotations = {}, podAnnotations = {}, podSpec = {} } = app
  await arrangeNodes(world, nodes)
  const service = { metadata: { name: 'web', namespace: 'NS' }, spec: { selector: labels, ports: [{ port: 80 }] } }
  await world.arrange('POST', paths.services, service)
  await world.arrange('POST', paths.deployments, {
    metadata: { name: 'web', namespace: 'NS', annotations },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: template(world, {
        annotations: podAnnotations,
        spec: { terminationGracePeriodSeconds: 1, ...podSpec },
      }),
      ...(strategy === undefined ? {} : { strategy }),
      ...spec,
    },
  })
  await begin()
  const pods = await appIsReady(world, replicas)
  if (app.budget !== undefined) {
    await arrangeBudget(world, 'web', app.budget, { expectedPods: replicas, currentHealthy: replicas })
  }
  await sampleFrom(world, replicas, { endpoints: true })
  return pods
}

/** So many pods are there, all of them ready and of the Deployment, and no others. */
export async function appIsReady(world: DeploymentWorld, replicas: number): Promise<readonly PodSeen[]> {
  return world.eventually(
    `${replicas} pods are ready`,
    () => podsOf(world),
    (pods) => pods.length === replicas && pods.every((pod) => isReady(pod) && isOwned(pod)),
  )
}

export function isReady({ status, metadata }: PodSeen): boolean {
  const ready = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  return ready && metadata.deletionTimestamp === undefined
}

export function isOwned({ metadata }: PodSeen): boolean {
  return metadata.ownerReferences?.some(({ kind, controller }) => kind === 'ReplicaSet' && controller === true) ?? false
}

export function keyOfPod({ metadata: { name, uid } }: PodSeen): PodKey {
  return { name, uid }
}

/** Nothing new comes to the nodes of these pods. */
export async function cordon(world: DeploymentWorld, pods: readonly PodSeen[]): Promise<void> {
  for (const node of new Set(pods.map(({ spec }) => spec.nodeName ?? ''))) {
    await world.arrange('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable: true } }, merge)
  }
}

export async function uncordonAll(world: DeploymentWorld, count = 3): Promise<void> {
  for (let at = 0; at < count; at++) {
    const path = `/api/v1/nodes/${world.namespace}-${at}`
    await world.arrange('PATCH', path, { spec: { unschedulable: null } }, merge)
  }
}

/** Cordons the nodes of the pods and asks for their evacuation. */
export async function drain(world: DeploymentWorld, pods: readonly PodSeen[]): Promise<readonly PodKey[]> {
  await cordon(world, pods)
  const keys = pods.map(keyOfPod)
  for (const key of keys) await evacuate(world, key)
  return keys
}

/** The pods are gone, and so are their Evacuations. */
export async function areOver(world: DeploymentWorld, pods: readonly PodKey[]): Promise<void> {
  await world.eventually(
    'the pods leave',
    () => podsOf(world),
    (left) => !left.some(({ metadata }) => pods.some(({ uid }) => uid === metadata.uid)),
  )
  for (const pod of pods) {
    await world.eventually(
      `the Evacuation of ${pod.name} goes`,
      () => look(world, pod),
      (seen) => seen === undefined,
    )
  }
  world.observe('the pods are gone, and their Evacuations', true)
}

/** The Evacuation is gone, and the pod is there. */
export async function isCancelled(world: DeploymentWorld, pod: PodKey): Promise<void> {
  await world.eventually(
    `the Evacuation of ${pod.name} goes`,
    () => look(world, pod),
    (seen) => seen === undefined,
  )
  world.observe('the Evacuation is gone', true)
}

export async function change(world: DeploymentWorld, patch: object): Promise<void> {
  await world.arrange('PATCH', deploymentPath, patch, merge)
}

/** What keeps pods from becoming ready is gone; of those that come later too, if the template says so. */
export async function heal(world: DeploymentWorld, annotation: string, pods?: readonly PodSeen[]): Promise<void> {
  for (const pod of pods ?? (await podsOf(world))) {
    const { metadata } = pod
    if (annotationsOf(pod)[annotation] === undefined) continue
    const body = { metadata: { annotations: { [annotation]: null } } }
    await world.arrange('PATCH', `${paths.pods}/${metadata.name}`, body, merge)
  }
}

/** An app whose pods are well, but whose replacements will not be. */
export async function arrangeAppOfLuckyPods(
  world: DeploymentWorld,
  app: App,
  behaviour: PodBehaviour,
): Promise<readonly PodSeen[]> {
  const podAnnotations = { ...app.podAnnotations, ...annotationsFor(behaviour) }
  const annotation = Object.keys(annotationsFor(behaviour))[0] ?? ''
  return arrangeApp(world, { ...app, podAnnotations }, async () => {
    const pods = await world.eventually(
      'the pods are there',
      () => podsOf(world),
      (seen) => seen.length === app.replicas,
    )
    await heal(world, annotation, pods)
  })
}

export async function isReleased(world: DeploymentWorld, pod: PodKey): Promise<PodSeen> {
  const found = await world.eventually(
    'the pod is released',
    async () => (await podsOf(world)).find(({ metadata }) => metadata.uid === pod.uid),
    (seen) => seen !== undefined && annotationsOf(seen)[releasedFrom] !== undefined && !isOwned(seen),
  )
  if (found === undefined) throw new Error('eventually returns what is right')
  const owners = (found.metadata.ownerReferences ?? []).map(({ kind, controller }) => `${kind} ${controller}`)
  // Tied to its workload and to nothing else, or the garbage collector could take it with its Evacuation.
  if (owners.join() !== 'ReplicaSet false') throw new Error(`the released pod is owned by ${owners.join(', ')}`)
  world.observe('the pod is released', {
    label: found.metadata.labels?.[hashLabel],
    registered: annotationsOf(found)[`evacuation.coordination.k8s.io/priority_${classOfDeployments}`],
  })
  return found
}

export function annotationsOf({ metadata }: PodSeen): Readonly<Record<string, string>> {
  return (metadata as { annotations?: Record<string, string> }).annotations ?? {}
}

/** The Deployment has what it wants, and nothing of Lifeboat is left. */
export async function isSettled(world: DeploymentWorld, replicas: number): Promise<readonly PodSeen[]> {
  const pods = await appIsReady(world, replicas)
  const traces = pods.flatMap((pod) => [
    ...Object.keys(annotationsOf(pod)).filter((key) => key.startsWith('evacuation.coordination.k8s.io/')),
    ...(pod.metadata.ownerReferences ?? []).filter(({ kind }) => kind !== 'ReplicaSet').map(({ kind }) => kind),
    ...Object.keys(pod.metadata.labels ?? {}).filter((key) => key.startsWith('evacuation.coordination.k8s.io/')),
    ...(pod.metadata.labels?.[hashLabel] === undefined ? ['no label'] : []),
  ])
  const { body } = await world.read('/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/NS/evacuations')
  world.observe('settled', { pods: pods.length, traces, evacuations: (body['items'] as unknown[]).length })
  if (traces.length > 0) throw new Error(`left behind: ${traces.join(', ')}`)
  return pods
}

/** Asserts here rather than by comparison: on one ground a minimum may be higher by chance. */
export function isNeverBelow(
  world: DeploymentWorld,
  { ready, pods, replicas }: { readonly ready: number; readonly pods: number; readonly replicas: readonly number[] },
): Availability {
  const seen = world.sampler.seen()
  const story = world.sampler.history.slice(-60).join('; ')
  const fail = (what: string) => {
    throw new Error(`${what}: ${JSON.stringify(seen)}; ${story}`)
  }
  if (seen.readyPodsMin < ready) fail(`fewer than ${ready} ready pods`)
  if (seen.readyEndpointsMin < ready) fail(`fewer than ${ready} ready endpoints`)
  if (seen.podsMax > pods) fail(`more than ${pods} pods`)
  if (seen.samples < 2) fail('nothing was sampled')
  if (seen.replicas.join() !== replicas.join()) fail(`spec.replicas was not ${replicas.join()}`)
  world.observe('availability', { ready, pods, replicas })
  return seen
}

/** Waits until the Evacuation says why it waits, and notes the reason. */
export async function isBlocked(world: DeploymentWorld, pod: PodKey, reason: string, words: RegExp): Promise<void> {
  await world.eventually(
    `blocked by ${reason}`,
    async () => {
      const status = (await look(world, pod))?.status
      const blocked = status?.conditions?.find(({ type }) => type === 'Blocked')
      return { reason: blocked?.status === 'True' ? blocked.reason : undefined, message: status?.message ?? '' }
    },
    (seen) => seen.reason === reason && words.test(seen.message),
  )
  world.observe('blocked', reason)
}

export async function withdraw(world: DeploymentWorld, pod: PodKey): Promise<void> {
  const before = await look(world, pod)
  const finalizers = (before?.metadata.finalizers ?? []).filter((name) => !name.includes('drill.example.com'))
  await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers } }, merge)
}
