import type { KubernetesObject, NamespacedMeta } from '../../src/api/kubernetes/meta.ts'

/** An object of a test: of its metadata it has what matters to the test. */
export type Sketch<T extends KubernetesObject> = Omit<T, 'metadata'> & { readonly metadata?: Partial<T['metadata']> }

/** The object as the API server would have stored it. Without a UID of its own it has one made of its name. */
export function stored<T extends KubernetesObject>(sketch: Sketch<T>): T {
  return { ...sketch, metadata: storedMeta(sketch.metadata as Partial<NamespacedMeta>) } as Omit<T, 'metadata'> as T
}

/** The same for its metadata alone. */
export function storedMeta(sketch: Partial<NamespacedMeta> = {}): NamespacedMeta {
  const { name = 'unnamed' } = sketch
  return { name, uid: `uid-of-${name}`, resourceVersion: '1', ...sketch } as NamespacedMeta
}
