import { buildNode } from '../build/nodes-and-pods.ts'
import type { World } from './scenario.ts'

// What scenarios with controllers share: nodes of their own, workloads on them, and looks that need no names.

export const paths = {
  pods: '/api/v1/namespaces/NS/pods',
  deployments: '/apis/apps/v1/namespaces/NS/deployments',
  replicaSets: '/apis/apps/v1/namespaces/NS/replicasets',
  statefulSets: '/apis/apps/v1/namespaces/NS/statefulsets',
  daemonSets: '/apis/apps/v1/namespaces/NS/daemonsets',
  jobs: '/apis/batch/v1/namespaces/NS/jobs',
  budgets: '/apis/policy/v1/namespaces/NS/poddisruptionbudgets',
  services: '/api/v1/namespaces/NS/services',
}

export const merge = { contentType: 'application/merge-patch+json' }
export const strategic = { contentType: 'application/strategic-merge-patch+json' }

export interface PodSeen {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
    readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[]
  }
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[]
  }
}

/** Nodes that only this scenario's pods go to. */
export async function arrangeNodes(
  world: World,
  count: number,
  extra: (at: number) => object = () => ({}),
): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `${world.namespace}-${at}`)
  for (const [at, name] of names.entries()) {
    await world.arrange(
      'POST',
      '/api/v1/nodes',
      buildNode({ name, labels: { scenario: world.namespace }, ...extra(at) }),
    )
  }
  await world.eventually(
    'nodes get ready',
    async () => (await world.read('/api/v1/nodes', { labelSelector: `scenario=${world.namespace}` })).body,
    ({ items }) => {
      const ready = new Set((items as NodeSeen[]).filter(isReadyNode).map(({ metadata }) => metadata.name))
      return names.every((name) => ready.has(name))
    },
  )
  return names
}

interface NodeSeen {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] }
}

function isReadyNode({ status, spec }: NodeSeen): boolean {
  const saysReady =
    status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
  return saysReady && !(spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/not-ready')
}

export function template(
  world: World,
  extra: { readonly spec?: object; readonly annotations?: object; readonly image?: string } = {},
): object {
  return {
    metadata: {
      labels: { app: 'web' },
      ...(extra.annotations === undefined ? {} : { annotations: extra.annotations }),
    },
    spec: {
      nodeSelector: { scenario: world.namespace },
      containers: [{ name: 'main', image: extra.image ?? 'web:1' }],
      ...extra.spec,
    },
  }
}

export function workload(world: World, spec: object = {}, templateExtra: Parameters<typeof template>[1] = {}): object {
  return {
    metadata: { name: 'web', namespace: 'NS' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: template(world, templateExtra), ...spec },
  }
}

export async function podsOf(world: World): Promise<PodSeen[]> {
  const { body } = await world.read(paths.pods)
  return body['items'] as PodSeen[]
}

export function isReady({ status, metadata }: PodSeen): boolean {
  const ready =
    status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
  return ready && metadata.deletionTimestamp === undefined
}

/** Waits until exactly so many pods are there, all of them ready. */
export function readyPods(world: World, count: number): Promise<PodSeen[]> {
  return world.eventually(
    `${count} ready pods`,
    () => podsOf(world),
    (pods) => pods.length === count && pods.every(isReady),
  )
}

export async function statusOf(world: World, path: string): Promise<Record<string, unknown>> {
  const { body } = await world.read(path)
  return (body['status'] ?? {}) as Record<string, unknown>
}

/** Waits until a status has these fields, then observes them. */
export async function reaches(world: World, path: string, expected: Readonly<Record<string, unknown>>): Promise<void> {
  const keys = Object.keys(expected)
  const pick = (status: Record<string, unknown>) => Object.fromEntries(keys.map((key) => [key, status[key] ?? 0]))
  const isRight = (status: Record<string, unknown>) => keys.every((key) => (status[key] ?? 0) === expected[key])
  const status = await world.eventually(
    `${path} reaches ${JSON.stringify(expected)}`,
    () => statusOf(world, path),
    isRight,
  )
  world.observe(path, pick(status))
}
