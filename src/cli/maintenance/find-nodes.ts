import { closestNames } from '../../api/closest-names.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes as nodeResource } from '../../api/kubernetes/resources.ts'
import { nodeSelectorLimits, type NodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { listNames } from '../../kube/auth/kubeconfig-error.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { parseLabelSelector, selectByName } from './selector.ts'

/** Nodes by their names or by a label selector, never both. */
export type NodeChoice =
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly nodeSelector: NodeSelector }
  | { readonly kind: 'labels'; readonly text: string; readonly nodeSelector: NodeSelector }

export function parseNodeChoice(
  names: readonly string[],
  selector: string | undefined,
  { isTogether }: { readonly isTogether: boolean } = { isTogether: false },
): NodeChoice {
  if (selector === undefined && names.length === 0) throw wrongChoice('which nodes?')
  if (selector !== undefined && names.length > 0) throw wrongChoice('either names of nodes or -l, not both')
  if (selector !== undefined) return { kind: 'labels', text: selector, nodeSelector: parseLabelSelector(selector) }
  const once = [...new Set(names)]
  if (isTogether && once.length > nodeSelectorLimits.termsMax) {
    throw wrongChoice(`${once.length} names are more than one maintenance takes (${nodeSelectorLimits.termsMax})`)
  }
  return { kind: 'names', names: once, nodeSelector: selectByName(once) }
}

function wrongChoice(message: string): CommandError {
  const advice =
    'Name them, as in `lifeboat drain node-1 node-2`, or select them by labels, as in `lifeboat drain -l zone=a`.'
  return new CommandError(message, { advice, exitCode: exitCodes.usage })
}

/** The names of the nodes; a name that no node has is an error before anything is written. */
export async function findNodes(kube: Kube, choice: NodeChoice, signal: AbortSignal): Promise<string[]> {
  if (choice.kind === 'names') {
    const missing = await missingNodes(kube, choice.names, signal)
    if (missing.length > 0) throw unknownNodes(missing, await namesOfNodes(kube, signal))
    return [...choice.names]
  }
  const selected = await nodeNames(kube, signal, choice.text)
  if (selected.length > 0) return selected
  throw new CommandError(`no node matches -l ${JSON.stringify(choice.text)}`, {
    advice: '`kubectl get nodes --show-labels` shows what can be selected by.',
  })
}

/** Of more nodes than this, one list is less work for the cluster than a request for each. */
const getsMax = 20

async function missingNodes(kube: Kube, names: readonly string[], signal: AbortSignal): Promise<string[]> {
  if (names.length > getsMax) {
    const known = new Set(await nodeNames(kube, signal))
    return names.filter((name) => !known.has(name))
  }
  const found = await Promise.all(names.map((name) => unlessNotFound(kube.get(nodeResource, { name }, { signal }))))
  return names.filter((_, index) => found[index] === undefined)
}

async function nodeNames(kube: Kube, signal: AbortSignal, labelSelector?: string): Promise<string[]> {
  const names: string[] = []
  const selection = labelSelector === undefined ? {} : { labelSelector }
  for await (const page of kube.pages<Node>(nodeResource, { ...selection, signal })) {
    for (const { metadata } of page.items) names.push(metadata.name)
  }
  return names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/** Suggestions need a list of all nodes, which not every user may see: then there are none. */
export async function namesOfNodes(kube: Kube, signal: AbortSignal): Promise<string[]> {
  return nodeNames(kube, signal).catch((error: unknown) => {
    if (isKubeError(error, 'forbidden')) return []
    throw error
  })
}

function unknownNodes(missing: readonly string[], known: readonly string[]): CommandError {
  const meant = [...new Set(missing.flatMap((name) => closestNames(name, known)))]
  const plural = missing.length > 1
  return new CommandError(`no ${plural ? 'nodes are' : 'node is'} called ${listNames(missing)}`, {
    advice:
      meant.length > 0
        ? `Close to ${plural ? 'them' : 'it'}: ${listNames(meant)}. Nothing was changed.`
        : 'Nothing was changed. `kubectl get nodes` lists them.',
  })
}
