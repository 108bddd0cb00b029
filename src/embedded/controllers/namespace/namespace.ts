import type { Next } from '../../../runtime/work-queue.ts'
import { againAt, ownKey, settled, startControlLoop, type Wakes } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { getObject } from '../typed-store.ts'
import { ignoring } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { namespacedKinds } from './namespaced-kinds.ts'

/** What is left waits for finalizers and grace periods. */
const recheckMs = 1_000
const refusals = ['AlreadyExists', 'NotFound', 'Conflict', 'Forbidden']

/** Gives every namespace what each must have, and empties those that are deleted. */
export function startNamespaceController(parts: ControllerParts): AsyncDisposable {
  return startControlLoop({
    name: 'namespace',
    parts,
    reconcile: async (key) => await reconcileNamespace(parts, key),
    wakes: {
      namespaces: ownKey,
      // The controller recreates them after they are deleted.
      serviceaccounts: whenGone('default'),
      configmaps: whenGone('kube-root-ca.crt'),
    },
  })
}

function whenGone(name: string): Wakes {
  return ({ metadata }, _previous, type) =>
    type === 'DELETED' && metadata.name === name && metadata.namespace !== undefined ? [metadata.namespace] : []
}

async function reconcileNamespace(parts: ControllerParts, name: string): Promise<Next> {
  const namespace = getObject(parts.store, 'namespaces', name)
  if (namespace !== undefined && namespace.metadata.deletionTimestamp === undefined) return await furnish(parts, name)
  const isEmpty = await empty(parts, name)
  if (!isEmpty) return againAt(parts.clock.nowMs() + recheckMs)
  if (namespace === undefined) return settled
  // The server lets it go with the last finalizer.
  await ignoring(refusals, parts.api.mergePatch('namespaces', { name }, { spec: { finalizers: [] } }))
  return settled
}

async function furnish({ store, api }: ControllerParts, namespace: string): Promise<Next> {
  if (store.get('serviceaccounts', `${namespace}/default`) === undefined) {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'default' } }
    await ignoring(refusals, api.create('serviceaccounts', account))
  }
  if (store.get('configmaps', `${namespace}/kube-root-ca.crt`) === undefined) {
    const metadata = { namespace, name: 'kube-root-ca.crt' }
    await ignoring(
      refusals,
      api.create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'ca.crt': '' } }),
    )
  }
  return settled
}

/** Deletes all that is in the namespace. True when nothing is left. */
async function empty({ store, api }: ControllerParts, namespace: string): Promise<boolean> {
  let isEmpty = true
  for (const resource of namespacedKinds(store)) {
    for (const { metadata } of store.list(resource, namespace)) {
      isEmpty = false
      if (metadata.deletionTimestamp !== undefined) continue
      const options = { preconditions: { uid: metadata.uid } }
      await ignoring(refusals, api.delete(resource, nameOf(metadata), options))
    }
  }
  return isEmpty
}
