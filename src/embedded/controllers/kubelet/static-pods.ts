import { createHash } from 'node:crypto'
import type { New } from '../../../api/kubernetes/meta.ts'
import type { Toleration } from '../../../api/kubernetes/scheduling.ts'
import type { Node, Pod, PodTemplate } from '../objects.ts'
import { canonical } from '../template-hash.ts'

/** Plays the folder of manifests that a kubelet reads: a JSON list of pods, on the Node. */
export const staticPodsAnnotation = 'lifeboat.test/static-pods'
const mirrorAnnotation = 'kubernetes.io/config.mirror'
const hashAnnotation = 'kubernetes.io/config.hash'
const seenAnnotation = 'kubernetes.io/config.seen'
const sourceAnnotation = 'kubernetes.io/config.source'

/** A pod as its manifest has it, under the name that it gets on its node. */
export interface StaticPod {
  readonly namespace: string
  readonly name: string
  readonly hash: string
  readonly template: PodTemplate
}

export type ParsedStaticPods =
  | { readonly kind: 'parsed'; readonly pods: readonly StaticPod[] }
  | { readonly kind: 'invalid'; readonly message: string }

type Manifest = PodTemplate & { readonly metadata: { readonly name: string; readonly namespace?: string } }

export function parseStaticPods({ metadata }: Node): ParsedStaticPods {
  const text = metadata.annotations?.[staticPodsAnnotation]
  if (text === undefined) return { kind: 'parsed', pods: [] }
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    return { kind: 'invalid', message: error instanceof Error ? error.message : String(error) }
  }
  if (!Array.isArray(list)) return { kind: 'invalid', message: 'not a list of pods' }
  const at = list.findIndex((manifest) => !isManifest(manifest))
  if (at !== -1) return { kind: 'invalid', message: `item ${at} is not a pod with a name and containers` }
  return { kind: 'parsed', pods: (list as Manifest[]).map((manifest) => staticPodOf(manifest, metadata.name)) }
}

function isManifest(value: unknown): boolean {
  const { metadata, spec } = (value ?? {}) as { metadata?: { name?: unknown }; spec?: { containers?: unknown } }
  return typeof metadata?.name === 'string' && metadata.name !== '' && Array.isArray(spec?.containers)
}

function staticPodOf(manifest: Manifest, nodeName: string): StaticPod {
  const { name, namespace = 'default' } = manifest.metadata
  const content = `${canonical(manifest)}host:${nodeName}`
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32)
  return { namespace, name: `${name}-${nodeName.toLowerCase()}`, hash, template: manifest }
}

/** What a static pod shows of itself in the API. `seen` is when the kubelet first read the manifest. */
export function buildMirrorPod({ namespace, name, hash, template }: StaticPod, node: Node, seen: string): New<Pod> {
  const { name: nodeName, uid } = node.metadata
  const { labels, annotations } = template.metadata ?? {}
  const marks = {
    [hashAnnotation]: hash,
    [mirrorAnnotation]: hash,
    [seenAnnotation]: seen,
    [sourceAnnotation]: 'file',
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      annotations: { ...annotations, ...marks },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }],
    },
    spec: { ...template.spec, nodeName, tolerations: withStay(template.spec?.tolerations ?? []) },
  }
}

/** Node problems do not evict a static pod: only its kubelet could start it again. */
function withStay(tolerations: readonly Toleration[]): readonly Toleration[] {
  const stays = ({ key, operator, effect }: Toleration) =>
    (key ?? '') === '' && operator === 'Exists' && effect === 'NoExecute'
  return tolerations.some(stays) ? tolerations : [...tolerations, { operator: 'Exists', effect: 'NoExecute' }]
}

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
}

export function isMirror(pod: Annotated): boolean {
  return mirroredHash(pod) !== undefined
}

export function mirroredHash({ metadata }: Annotated): string | undefined {
  return metadata.annotations?.[mirrorAnnotation]
}

export function seenOf({ metadata }: Annotated): string | undefined {
  return metadata.annotations?.[seenAnnotation]
}
