import type { OwnerReference } from '../../api/kubernetes/meta.ts'
import type { AnyObject } from '../server/store.ts'
import type { PodTemplate } from './objects.ts'

export interface PodOptions {
  readonly namespace: string
  /** Its whole name, or else the server makes one from the prefix. */
  readonly name?: string
  readonly namePrefix?: string
  readonly owner: OwnerReference
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
}

/** A pod as the template of its controller says. */
export function buildPod(template: PodTemplate, options: PodOptions): AnyObject {
  const { namespace, name, namePrefix, owner } = options
  const labels = { ...template.metadata?.labels, ...options.labels }
  const annotations = { ...template.metadata?.annotations, ...options.annotations }
  const finalizers = [...(template.metadata?.finalizers ?? []), ...(options.finalizers ?? [])]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      ...(name === undefined ? {} : { name }),
      ...(namePrefix === undefined ? {} : { generateName: `${namePrefix}-` }),
      labels,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(finalizers.length === 0 ? {} : { finalizers }),
      ownerReferences: [owner],
    },
    spec: { ...template.spec },
  }
}
