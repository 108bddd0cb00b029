import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { assert } from '../../runtime/assert.ts'

/** Where objects come in from the API server. All code behind this counts on their identity. */
export function assertStored(answer: unknown): asserts answer is KubernetesObject {
  const { name, uid } = (answer as Partial<KubernetesObject>).metadata ?? {}
  assert(typeof name === 'string' && name !== '', 'what the API server has stored has a name')
  assert(typeof uid === 'string' && uid !== '', `what the API server has stored has a UID, and ${name} has none`)
}
