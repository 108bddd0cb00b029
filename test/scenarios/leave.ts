import { evacuationsPath, podsPath } from './lifeboat-world.ts'
import type { World } from './scenario.ts'
import { merge } from './workload-world.ts'

/** Paths to which a story has posted. */
export type Collections = Set<string>

const inNamespace = /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/namespaces\/NS\/[a-z]+$/
/** What follows from this goes by itself. */
const atOnce = { gracePeriodSeconds: 0, propagationPolicy: 'Background' }

/**
 * Takes away what a story leaves behind: workloads, pods and nodes that nobody needs any more keep a cluster busy, and
 * what is held by a finalizer stays forever. The namespace stays: to delete one, Kubernetes asks for the objects of each
 * kind that there is, twice, which is more work than most stories are.
 */
export async function leave(world: World, filled: Collections): Promise<void> {
  for (const path of [evacuationsPath, podsPath]) {
    const { status, body } = await world.read(path)
    const items = status === 200 ? (body['items'] as { metadata: { name: string; finalizers?: string[] } }[]) : []
    for (const { metadata } of items.filter(({ metadata: { finalizers = [] } }) => finalizers.length > 0)) {
      await world.attempt('PATCH', `${path}/${metadata.name}`, { metadata: { finalizers: null } }, merge)
    }
  }
  // Pods last: until then somebody would replace them.
  const workloads = filled.values().filter((path) => inNamespace.test(path) && path !== podsPath)
  for (const path of new Set([...workloads, evacuationsPath, podsPath])) await world.attempt('DELETE', path, atOnce)
  await world.attempt('DELETE', '/api/v1/nodes', {}, { query: { labelSelector: `scenario=${world.namespace}` } })
}
