import type { StoryNeeds } from './scenario.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'

// What stories about admission share. Lifeboat's webhooks and policies are in
// effect on the ground before the first is told, and each story has a namespace of its own.

export interface Story extends StoryNeeds {
  /** The sentence of the specification that it shows, if there is one. */
  readonly sentence?: string
  readonly name: string
  /** What it saw; the same on every ground. */
  readonly run: (world: StoryWorld) => Promise<readonly unknown[]>
  /** What that must be; may have vitest's asymmetric matchers in it. */
  readonly expected: readonly unknown[]
}

export interface StoryWorld {
  readonly namespace: string
  /** As an admin, or as somebody else. */
  send(method: Method, path: string, body?: unknown, options?: StoryOptions): Promise<StoryAnswer>
  /** What Lifeboat's clock shows in so long. */
  timeIn(milliseconds: number): string
  /** Lets time pass: really, or on a virtual clock. */
  pass(milliseconds: number): Promise<void>
  /** Without what can only differ between two grounds. */
  normal(value: unknown): unknown
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface StoryOptions {
  readonly as?: string
  readonly query?: Readonly<Record<string, string>>
}

export interface StoryAnswer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly warnings: readonly string[]
}

/** The account under which Lifeboat writes on both grounds. */
export const lifeboatUser = 'system:serviceaccount:lifeboat-system:lifeboat'

/** `201`, or `403 Forbidden: why`. */
export function said(world: StoryWorld, { status, body }: StoryAnswer): string {
  const { reason = '', message = '' } = body as { reason?: string; message?: string }
  return status < 300 ? String(status) : `${status} ${reason}: ${String(world.normal(message))}`
}

export const podsPath = ({ namespace }: StoryWorld) => `/api/v1/namespaces/${namespace}/pods`
export const evacuationsPath = ({ namespace }: StoryWorld) =>
  `/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/${namespace}/evacuations`

export interface PodFacts {
  readonly name: string
  readonly uid: string
}

export function buildPod(name: string, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
}

export async function arrangePod(world: StoryWorld, name: string, metadata: object = {}): Promise<PodFacts> {
  const { body } = await mustSucceed(world.send('POST', podsPath(world), buildPod(name, metadata)))
  return { name, uid: (body['metadata'] as { uid: string }).uid }
}

export const instigator = 'evacuation.coordination.k8s.io/instigator_test.example.com'

export function buildEvacuation({ name, uid }: PodFacts, extra: { metadata?: object; spec?: object } = {}): object {
  return {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: { name: evacuationName({ name, uid }), finalizers: [instigator], ...extra.metadata },
    spec: { podRef: { name, uid }, ...extra.spec },
  }
}

/** Returns its path. */
export async function arrangeEvacuation(
  world: StoryWorld,
  pod: PodFacts,
  extra: { metadata?: object; spec?: object } = {},
): Promise<string> {
  await mustSucceed(world.send('POST', evacuationsPath(world), buildEvacuation(pod, extra)))
  return evacuationPath(world, pod)
}

export function evacuationPath(world: StoryWorld, pod: PodFacts): string {
  return `${evacuationsPath(world)}/${evacuationName(pod)}`
}

export async function arrangeStatus(world: StoryWorld, path: string, status: object): Promise<void> {
  await mustSucceed(world.send('PATCH', `${path}/status`, { status }, { as: lifeboatUser }))
}

export async function mustSucceed(answer: Promise<StoryAnswer>): Promise<StoryAnswer> {
  const { status, body, warnings } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { status, body, warnings }
}

/** Lets a user do everything with Evacuations, look at and evict pods, and with pods so much more. */
export async function arrangeUser(
  world: StoryWorld,
  user: string,
  podRules: readonly { verbs: readonly string[]; resourceNames?: readonly string[] }[],
): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.namespace}`
  const evacuations = {
    apiGroups: ['evacuation.coordination.k8s.io'],
    resources: ['evacuations', 'evacuations/status'],
    verbs: ['*'],
  }
  const rules = [
    evacuations,
    { apiGroups: [''], resources: ['pods', 'pods/eviction'], verbs: ['get', 'create', 'update', 'patch'] },
    ...podRules.map((rule) => ({ apiGroups: [''], resources: ['pods'], ...rule })),
  ]
  await mustSucceed(world.send('POST', `${rbac}/roles`, { metadata: { name: user }, rules }))
  await mustSucceed(
    world.send('POST', `${rbac}/rolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    }),
  )
}
