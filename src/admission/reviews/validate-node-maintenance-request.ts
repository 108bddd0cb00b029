import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import { recordOf, textOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, forbidden, invalid, type Answer, type Denied } from './answer.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { NodeDeletionRight } from '../rights/node-deletion-right.ts'
import { selectedNodes, selectorOf } from './selected-nodes.ts'
import { selectionWarnings, type StageChange } from './selection-warnings.ts'

/** The nodes of the cluster, of each at least its name and its labels. */
export type ListNodes = (signal: AbortSignal) => Promise<readonly Node[]>

export interface NodeMaintenanceReviewParts extends NodeDeletionRight {
  readonly listNodes: ListNodes
  readonly clock: Clock
}

/** A part of the ten seconds that the API server waits. It is used for nothing but the warnings. */
const limits = { listForWarningsMs: 3_000 }

/**
 * Any write of a NodeMaintenance or its status: KEP-4212 wants the caller to be allowed to delete every node that it
 * selects. Of a change both what it selected and what it is to select: neither may take a node that is not theirs, nor
 * give one back.
 */
export async function validateNodeMaintenanceRequest(
  request: AdmissionRequest,
  parts: NodeMaintenanceReviewParts,
  signal: AbortSignal,
): Promise<Answer> {
  const { object, oldObject, operation, subResource, userInfo } = request
  // For a user who may delete all nodes it does not matter which of them are selected.
  const needed = (await parts.mayDeleteAll(userInfo, signal)) ? undefined : await parts.listNodes(signal)
  if (needed !== undefined) {
    const either = [...selectedNodes(oldObject, needed), ...selectedNodes(object, needed)]
    const selected = new Set(either.map(({ metadata }) => metadata.name))
    const refused = await parts.firstRefused(userInfo, [...selected].toSorted(), signal)
    if (refused !== undefined) return missingRight(request, needed, refused)
  }
  if (operation === 'DELETE' || subResource !== '') return allowed
  const denied = planDenial(request)
  if (denied !== undefined) return denied
  if (!isAboutNodes(request)) return { allowed: true, warnings: [] }
  const nodes = needed ?? (await listForWarnings(parts, signal))
  if (nodes === undefined) return { allowed: true, warnings: [] }
  return { allowed: true, warnings: selectionWarnings(selectedNodes(object, nodes), nodes, stagesOf(request)) }
}

/** Undefined if it takes too long, or fails: a request is not refused because a warning cannot be given. */
async function listForWarnings(
  { listNodes, clock }: NodeMaintenanceReviewParts,
  signal: AbortSignal,
): Promise<readonly Node[] | undefined> {
  const late = new AbortController()
  using _timer = clock.timer(limits.listForWarningsMs, () => late.abort(new Error('the nodes take too long')))
  try {
    return await listNodes(AbortSignal.any([signal, late.signal]))
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

function missingRight({ object, oldObject, userInfo }: AdmissionRequest, nodes: readonly Node[], name: string): Denied {
  const node = nodes.filter(({ metadata }) => metadata.name === name)
  const chooser = selectedNodes(object, node).length > 0 ? object : oldObject
  const rule = `must select only nodes that user ${JSON.stringify(userInfo.username)} may delete, and node ${name} is none of them`
  return forbidden(renderFieldProblem({ field: 'spec.nodeSelector', value: selectorOf(chooser), allowed: rule }))
}

/** For what the schema has no words: by now the rest has passed it. A plan from before is not to blame for a change. */
function planDenial({ object, oldObject }: AdmissionRequest): Denied | undefined {
  const isFromBefore = oldObject !== undefined && isSame(fieldOf(object, 'drainPlan'), fieldOf(oldObject, 'drainPlan'))
  const { status: _ours, ...rest } = recordOf(object)
  const [problem] = isFromBefore ? [] : validateNodeMaintenance(rest)
  return problem === undefined ? undefined : invalid(renderFieldProblem(problem))
}

/** A user who only puts a label on it has been warned before. */
function isAboutNodes({ object, oldObject }: AdmissionRequest): boolean {
  if (oldObject === undefined) return true
  return !isSame(selectorOf(object), selectorOf(oldObject)) || stageOf(object) !== stageOf(oldObject)
}

function stagesOf({ object, oldObject }: AdmissionRequest): StageChange {
  return { from: oldObject === undefined ? undefined : stageOf(oldObject), to: stageOf(object) }
}

function stageOf(maintenance: unknown): string {
  return textOf(fieldOf(maintenance, 'stage'))
}

function fieldOf(maintenance: unknown, field: string): unknown {
  return recordOf(recordOf(maintenance)['spec'])[field]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
