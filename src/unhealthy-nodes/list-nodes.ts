import type { Node } from '../api/kubernetes/core.ts'
import { nodes } from '../api/kubernetes/resources.ts'
import { labels } from '../api/names.ts'
import type { Kube } from '../kube/client/client.ts'
import { unlessNotFound } from '../kube/client/errors.ts'
import type { Listed } from '../kube/watch/informer.ts'
import { slimNode } from './slim-node.ts'

/**
 * The nodes that matter among all: those that are not ready, those on which something is noted, and those of `others`.
 * Of the rest a row is read, as `kubectl get nodes` shows it: a node is twenty times as large.
 */
export async function listNodesThatMatter(
  kube: Kube,
  others: Iterable<string>,
  signal: AbortSignal,
): Promise<Listed<Node>> {
  const names = new Set(others)
  let resourceVersion = ''
  for await (const { rows, metadata } of kube.rows(nodes, { signal })) {
    for (const { Name: name, Status: status } of rows) if (!isReady(status)) names.add(String(name))
    resourceVersion = metadata.resourceVersion ?? ''
  }
  const noted = await kube.list(nodes, { labelSelector: labels.unhealthy, signal })
  const found: Node[] = noted.items.map(slimNode)
  for (const name of names.difference(new Set(found.map(({ metadata }) => metadata.name)))) {
    const node = await unlessNotFound(kube.get(nodes, { name }, { signal }))
    if (node !== undefined) found.push(slimNode(node))
  }
  return { items: found, resourceVersion }
}

/** Such as `Ready,SchedulingDisabled`. In doubt it is looked at. */
function isReady(status: unknown): boolean {
  return typeof status === 'string' && status.split(',').includes('Ready')
}
