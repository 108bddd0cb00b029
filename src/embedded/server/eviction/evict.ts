import { noAdmission } from '../admission/admission.ts'
import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import { ApiFailure, badRequest, notFound, tellingWarnings } from '../failure.ts'
import { timestamp } from '../identity.ts'
import { keyOf, type AnyObject, type Stored } from '../store.ts'
import type { NamespacedObjectRequest, ResourceRequest, ServerParts } from '../verbs/context.ts'
import { checkPreconditions, deleteObject, type DeleteOptions } from '../verbs/delete.ts'
import { decideEviction } from './decide-eviction.ts'
import { disruptionAllowedCondition, type DisruptionBudget } from './disruption-budget.ts'

interface Eviction {
  readonly metadata?: { readonly name?: string; readonly namespace?: string }
  readonly deleteOptions?: DeleteOptions
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/** POST …/pods/NAME/eviction: deletes the pod if no budget is against it. */
export function evictPod(parts: ServerParts, target: NamespacedObjectRequest, warnings: string[]): Promise<unknown> {
  return tellingWarnings(warnings, () => evictWarning(parts, target, warnings))
}

async function evictWarning(parts: ServerParts, target: NamespacedObjectRequest, warnings: string[]): Promise<unknown> {
  const { request, name } = target
  const eviction = (request.body ?? {}) as Eviction
  if (eviction.metadata?.name !== name) throw badRequest('name in URL does not match name in Eviction object')
  const options = deleteOptionsOf(target, eviction)
  await admit(parts, target, warnings)
  const key = keyOf(target)
  const pod = parts.store.get('pods', key)
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, name)
  const decision = decideEviction(pod, budgetsOf(parts, pod))
  if (decision.kind === 'refuse') throw decision.failure
  const isDryRun = (options.dryRun ?? []).length > 0
  if (decision.kind === 'deleteFromBudget' && !isDryRun) takeFromBudget(parts, decision.budget, name)
  checkPreconditions(target, pod, options)
  const marked = isDryRun
    ? pod
    : parts.store.put('pods', key, withDisruptionTarget(pod, timestamp(parts.clock.nowMs())))
  // Admission was asked about the eviction; the deletion that follows from it is the server's own.
  const inner = { ...parts, admission: noAdmission }
  await deleteObject(inner, { ...target, subresource: undefined, dryRun: isDryRun }, afterMark(options, marked))
  return success
}

/** A dry run is one if it is asked for in either place; asked for differently in both it is a mistake. */
function deleteOptionsOf({ dryRun }: ResourceRequest, { deleteOptions = {} }: Eviction): DeleteOptions {
  const inBody = deleteOptions.dryRun ?? []
  const inQuery = dryRun ? ['All'] : []
  if (inBody.length > 0 && inQuery.length > 0 && inBody.join() !== inQuery.join()) {
    const message = `Non-matching dry-run options in request and content: [${inQuery.join(' ')}] and [${inBody.join(' ')}]`
    throw new ApiFailure(500, '', message)
  }
  return { ...deleteOptions, dryRun: inBody.length > 0 ? inBody : inQuery }
}

async function admit(parts: ServerParts, target: ResourceRequest, warnings: string[]): Promise<void> {
  const { definition, subresource, namespace, name, dryRun, request } = target
  const options = { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) }
  const object = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: {}, ...(request.body as object) } as AnyObject
  const admission = {
    operation: 'CREATE',
    definition,
    subresource,
    namespace,
    name,
    dryRun,
    user: request.user,
    object,
    oldObject: undefined,
    options,
  } as const
  await parts.admission.mutate(admission, warnings)
  await parts.admission.validate(admission, warnings)
}

function budgetsOf({ store }: ServerParts, pod: Stored): DisruptionBudget[] {
  const budgets = store.list('poddisruptionbudgets.policy', pod.metadata.namespace) as readonly DisruptionBudget[]
  return budgets.filter(
    ({ spec }) => spec?.selector !== undefined && matchesLabelSelector(spec.selector, pod.metadata.labels),
  )
}

/** Notes the pod, so that the disruption controller does not count it as healthy while it is on its way out. */
function takeFromBudget({ store, clock }: ServerParts, budget: DisruptionBudget, podName: string): void {
  const now = timestamp(clock.nowMs())
  const disruptionsAllowed = (budget.status?.disruptionsAllowed ?? 0) - 1
  const status = {
    ...budget.status,
    disruptionsAllowed,
    disruptedPods: { ...budget.status?.disruptedPods, [podName]: now },
  }
  const condition = disruptionAllowedCondition(status, budget.metadata.generation ?? 0, now)
  const conditions = disruptionsAllowed === 0 ? [condition] : (status.conditions ?? [])
  store.put('poddisruptionbudgets.policy', keyOf(budget.metadata), {
    ...budget,
    status: { ...status, conditions },
  })
}

function withDisruptionTarget(pod: Stored, now: string): Stored {
  const status = (pod['status'] ?? {}) as { conditions?: readonly { type: string }[] }
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget')
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: now,
  }
  return { ...pod, status: { ...status, conditions: [...others, condition] } }
}

/** The condition that we just wrote made a new version; a precondition on the one before still holds. */
function afterMark(options: DeleteOptions, { metadata }: Stored): DeleteOptions {
  if (options.preconditions?.resourceVersion === undefined) return options
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: metadata.resourceVersion } }
}
