import type { NamespacedObject } from '../kubernetes/meta.ts'

/** A pod is its namespace, name and UID: a later pod under the same name is another one. */
export interface PodRef {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

export function podKey({ namespace, name, uid }: PodRef): string {
  return `${namespace}/${name}/${uid}`
}

export function podRefOf({ metadata }: NamespacedObject): PodRef {
  return { namespace: metadata.namespace, name: metadata.name, uid: metadata.uid }
}

/** The pod that an Evacuation is about. */
export function podRefOfEvacuation(evacuation: {
  readonly metadata: { readonly namespace: string }
  readonly spec: { readonly podRef: { readonly name: string; readonly uid: string } }
}): PodRef {
  return { namespace: evacuation.metadata.namespace, ...evacuation.spec.podRef }
}
