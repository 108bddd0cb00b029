import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { noCover } from '../../maintenance/plan/active.ts'
import { decideNode } from '../../maintenance/node/decide.ts'
import { conditionPatch } from '../../maintenance/shutdown/node-condition.ts'
import { ShutdownWrites } from '../../maintenance/shutdown/shutdown-writes.ts'
import { readObject, type ApplyParts } from '../install/apply.ts'

const conflictsMax = 5
const never = new AbortController().signal

/** Gives every node back that a maintenance holds: schedulable if Lifeboat had cordoned it. How many there were. */
export async function releaseNodes(parts: ApplyParts): Promise<number> {
  const { kube, signal } = parts
  let count = 0
  for await (const { items } of kube.pages(nodes, { signal })) {
    for (const node of items) {
      if (await giveBack(parts, node)) count++
      await endShutdown(parts, node)
      await forgetSilence(parts, node)
    }
  }
  return count
}

/** Without this the node would always say that its machine goes down. */
async function endShutdown({ kube, clock, signal = never }: ApplyParts, node: Node): Promise<void> {
  const patch = conditionPatch(node, false, clock.nowMs())
  if (patch !== undefined) await new ShutdownWrites(kube, signal).setCondition(node, patch)
}

/** What was noted for a node that does not report would be read by the next Lifeboat, when it means nothing any more. */
async function forgetSilence({ kube, signal }: ApplyParts, { metadata }: Node): Promise<void> {
  const isNoted = annotations.unhealthy in (metadata.annotations ?? {}) || labels.unhealthy in (metadata.labels ?? {})
  if (!isNoted) return
  const nothing = { annotations: { [annotations.unhealthy]: null }, labels: { [labels.unhealthy]: null } }
  const body = { metadata: { uid: metadata.uid, ...nothing } }
  await unlessNotFound(kube.patch(nodes, { name: metadata.name }, { type: 'merge', body }, { signal }))
}

async function giveBack(parts: ApplyParts, listed: Node): Promise<boolean> {
  const { kube, clock, signal } = parts
  let node: Node | undefined = listed
  for (let conflicts = 0; node !== undefined; conflicts++) {
    const step = decideNode(
      { node, cover: noCover, outcome: undefined, writtenAtMs: undefined, nodesWritten: 0 },
      clock.nowMs(),
    )
    if (step.kind !== 'write') return false
    const key: ObjectKey = { name: node.metadata.name }
    try {
      await kube.patch(nodes, key, { type: 'merge', body: step.patch }, { signal })
      return true
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict') || conflicts >= conflictsMax) throw error
    }
    node = await readObject(parts, nodes, key)
  }
  return false
}
