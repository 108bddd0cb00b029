import { evacuations, type Evacuation } from '../../src/api/evacuation/evacuation.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { KubernetesObject, New } from '../../src/api/kubernetes/meta.ts'
import {
  deployments,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  statefulSets,
  type Resource,
} from '../../src/api/kubernetes/resources.ts'
import { releasedFromOf } from '../../src/evacuators/workload/released-from.ts'
import type { Act, Story, WorkloadStory } from './draw-story.ts'
import { namespace, type RandomGround } from './random-ground.ts'

// Makes the cluster of a story, and does what its acts say.

const kinds = { Deployment: deployments, StatefulSet: statefulSets, ReplicaSet: replicaSets }
export const nameOf = (at: number) => `app-${at}`

export async function arrange(ground: RandomGround, { workloads }: Story): Promise<void> {
  for (const [at, workload] of workloads.entries()) {
    const resource = kinds[workload.kind] as Resource<KubernetesObject>
    await ground.do(ground.kube.create(resource, buildWorkload(workload, nameOf(at))))
    if (workload.budget === undefined) continue
    const selector = { matchLabels: { app: nameOf(at) } }
    const metadata = { name: nameOf(at), namespace }
    await ground.do(ground.kube.create(podDisruptionBudgets, { metadata, spec: { ...workload.budget, selector } }))
  }
  await ground.clock.advance(60_000)
}

function buildWorkload(workload: WorkloadStory, name: string): New<KubernetesObject> {
  const { kind, replicas, maxSurge, maxUnavailable, minReadySeconds, readyAfterSeconds } = workload
  const annotations = workload.optsIn ? { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' } : {}
  const rolling = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
  const strategies = {
    Deployment: { strategy: workload.strategy === 'Recreate' ? { type: 'Recreate' } : rolling },
    StatefulSet: { updateStrategy: { type: 'RollingUpdate' }, podManagementPolicy: 'Parallel', serviceName: name },
    ReplicaSet: {},
  }
  const labels = { app: name }
  const template = {
    metadata: { labels, annotations: { 'lifeboat.test/ready-after': `${readyAfterSeconds}s` } },
    spec: { terminationGracePeriodSeconds: 2, containers: [{ name: 'main', image: 'web:1' }] },
  }
  const spec = { replicas, minReadySeconds, selector: { matchLabels: labels }, template, ...strategies[kind] }
  return { metadata: { name, namespace, annotations }, spec } as New<KubernetesObject>
}

const merge = (body: object) => ({ type: 'merge' as const, body })

/** Does one act. */
export async function perform(ground: RandomGround, act: Act, story: Story): Promise<void> {
  const { kube } = ground
  const at = act.of % story.workloads.length
  const key = { namespace, name: nameOf(at) }
  const { kind = 'Deployment' } = story.workloads[at] ?? {}
  const resource = kinds[kind] as Resource<KubernetesObject>
  const mine = ground.list(pods).filter(({ metadata }) => metadata.labels?.['app'] === nameOf(at))
  const onlyDeployments = kind === 'Deployment' ? deployments : undefined
  switch (act.kind) {
    case 'drain': {
      const node = ground.list(nodes)[act.of % story.nodes]?.metadata.name ?? ''
      await ground.try(kube.patch(nodes, { name: node }, merge({ spec: { unschedulable: true } })))
      for (const pod of ground.list(pods).filter(({ spec }) => spec?.nodeName === node)) await ground.evacuate(pod)
      return
    }
    case 'evacuate': {
      const pod = pick(mine, act.which)
      if (pod !== undefined) await ground.evacuate(pod)
      return
    }
    case 'withdraw':
    case 'deleteEvacuation': {
      const evacuation = pick(ground.list(evacuations), act.which)
      if (evacuation !== undefined) await giveUp(ground, evacuation, act.kind)
      return
    }
    case 'deletePod': {
      const pod = pick(mine, act.which)
      if (pod !== undefined) await ground.try(kube.delete(pods, { namespace, name: pod.metadata.name }))
      return
    }
    case 'putLabelBack':
      return putLabelBack(ground, mine, act.which)
    case 'scale':
      return ground.try(kube.patch(resource, key, merge({ spec: { replicas: act.replicas } })))
    case 'roll':
    case 'rollBack': {
      ground.rolled.add(key.name)
      const image = act.kind === 'roll' ? 'web:2' : 'web:1'
      const template = { spec: { containers: [{ name: 'main', image }] } }
      return ground.try(kube.patch(resource, key, merge({ spec: { template } })))
    }
    case 'pause':
    case 'resume':
      if (onlyDeployments === undefined) return
      ground.rolled.add(key.name)
      return ground.try(kube.patch(onlyDeployments, key, merge({ spec: { paused: act.kind === 'pause' } })))
    case 'deleteWorkload':
      return ground.try(kube.delete(resource, key, { propagationPolicy: 'Background' }))
    case 'deleteReplicaSet': {
      const set = ground.list(replicaSets).find(({ metadata }) => metadata.ownerReferences?.[0]?.name === nameOf(at))
      if (set !== undefined) await ground.try(kube.delete(replicaSets, { namespace, name: set.metadata.name }))
      return
    }
    case 'nodeDies': {
      const node = ground.list(nodes)[act.of % story.nodes]?.metadata.name ?? ''
      ground.deadNodes.add(node)
      const labels = { 'lifeboat.test/silent': 'true' }
      return ground.try(kube.patch(nodes, { name: node }, merge({ metadata: { labels } })))
    }
    default:
      return act satisfies never
  }
}

/** An instigator takes its finalizer off, also when somebody else has deleted the Evacuation. */
async function giveUp(ground: RandomGround, { metadata }: Evacuation, how: 'withdraw' | 'deleteEvacuation') {
  const target = { namespace, name: metadata.name }
  if (how === 'deleteEvacuation') {
    await ground.try(ground.kube.delete(evacuations, target))
    // The instigator notices it later. Meanwhile a budget may get room, and the pod must stay all the same.
    await ground.clock.advance(10_000)
  }
  const current = ground.list(evacuations).find((one) => one.metadata.uid === metadata.uid)
  const finalizers = (current?.metadata.finalizers ?? []).filter((one) => !one.endsWith('drill.example.com'))
  if (current !== undefined)
    await ground.try(ground.kube.patch(evacuations, target, merge({ metadata: { finalizers } })))
}

async function putLabelBack(ground: RandomGround, mine: readonly Pod[], which: number): Promise<void> {
  const released = mine.filter((one) => releasedFromOf(one) !== undefined)
  const pod = pick(released, which)
  if (pod === undefined) return
  const labels = { 'pod-template-hash': releasedFromOf(pod)?.hash ?? '' }
  const key = { namespace, name: pod.metadata.name }
  await ground.try(ground.kube.patch(pods, key, merge({ metadata: { labels } })))
}

/** Takes away whatever may rightly hold an evacuation up: now everything has to come to its end. */
export async function heal(ground: RandomGround): Promise<void> {
  const { kube } = ground
  for (const { metadata } of ground.list(podDisruptionBudgets)) {
    await ground.try(kube.delete(podDisruptionBudgets, { namespace, name: metadata.name }))
  }
  for (const { metadata } of ground.list(nodes)) {
    const body = { spec: { unschedulable: null }, metadata: { labels: { 'lifeboat.test/silent': null } } }
    await ground.try(kube.patch(nodes, { name: metadata.name }, merge(body)))
  }
  for (const { metadata } of ground.list(deployments)) {
    await ground.try(kube.patch(deployments, { namespace, name: metadata.name }, merge({ spec: { paused: null } })))
  }
}

function pick<T>(list: readonly T[], which: number): T | undefined {
  return list[which % Math.max(1, list.length)]
}

export function podsOfWorkload(ground: RandomGround, at: number): Pod[] {
  return ground.list(pods).filter(({ metadata }) => metadata.labels?.['app'] === nameOf(at))
}
