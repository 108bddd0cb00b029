import type { New, OwnerReference, Unnamed } from '../../api/kubernetes/meta.ts'
import type { Pod, PodTemplate } from './objects.ts'

export interface PodOptions {
  readonly namespace: string
  readonly owner: OwnerReference
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
}

interface WithName {
  readonly name: string
}

/** The server makes a name from it. */
interface WithPrefix {
  readonly namePrefix: string
}

/** A pod as the template of its controller says. */
export function buildPod(template: PodTemplate, options: PodOptions & WithName): New<Pod>
export function buildPod(template: PodTemplate, options: PodOptions & WithPrefix): Unnamed<Pod>
export function buildPod(
  template: PodTemplate,
  options: PodOptions & (WithName | WithPrefix),
): New<Pod> | Unnamed<Pod> {
  const { namespace, owner } = options
  const labels = { ...template.metadata?.labels, ...options.labels }
  const annotations = { ...template.metadata?.annotations, ...options.annotations }
  const finalizers = [...(template.metadata?.finalizers ?? []), ...(options.finalizers ?? [])]
  const metadata = {
    namespace,
    labels,
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ownerReferences: [owner],
  }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...template.spec } }
  if ('name' in options) return { ...pod, metadata: { name: options.name, ...metadata } }
  return { ...pod, metadata: { generateName: `${options.namePrefix}-`, ...metadata } }
}
