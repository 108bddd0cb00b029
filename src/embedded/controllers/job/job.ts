import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import { type Stored, readAs } from '../../server/store.ts'
import { buildPod } from '../build-pod.ts'
import { againAt, ownKey, settled, startControlLoop, ending } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { Job, Pod } from '../objects.ts'
import { getObject } from '../typed-store.ts'
import { ignoring, writeStatus } from '../outcome.ts'
import { controllerOf, controllerReference, nameOf, ownerReferencesOf } from '../ownership.ts'
import { createPods, deletePods, ownerOf, refusedRetryMs } from '../pod-writes.ts'
import { planJob, trackingFinalizer } from './plan-job.ts'

const resource = 'jobs.batch'
const kind = { apiVersion: 'batch/v1', kind: 'Job' }

export function startJobController(parts: ControllerParts): AsyncDisposable {
  const pods = new ObjectGroups(parts.store, 'pods', {
    by: ownerReferencesOf,
    groupsOf: ({ metadata }) => {
      const controller = controllerOf(metadata)
      return controller?.kind === kind.kind ? [controller.uid] : []
    },
  })
  const loop = startControlLoop({
    name: 'job',
    parts,
    reconcile: async (key) => await reconcileJob(parts, pods, key),
    wakes: {
      [resource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)),
      pods: (object) => ownerKey(object),
    },
  })
  return ending(loop, pods)
}

function ownerKey({ metadata }: Stored): string[] {
  const controller = controllerOf(metadata)
  return controller?.kind === kind.kind ? [`${metadata.namespace}/${controller.name}`] : []
}

async function reconcileJob(parts: ControllerParts, index: ObjectGroups<'pods'>, key: string): Promise<Next> {
  const job = getObject(parts.store, resource, key)
  if (job?.spec === undefined) return await letOrphansGo(parts, index, key)
  const selector = job.spec.selector ?? {}
  const pods = index.in(job.metadata.uid).filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels))
  const nowMs = parts.clock.nowMs()
  const plan = planJob({ job, pods }, { ms: nowMs, timestamp: timestamp(nowMs) })
  if (job.metadata.deletionTimestamp !== undefined) {
    await letGo(parts, pods)
    return settled
  }
  // The status is the record of who was counted; whatever follows from it must wait until it is written.
  const written = await writeStatus(parts, resource, job, plan.status)
  await letGo(parts, plan.letGo)
  // Someone changed the job meanwhile, and that wakes us again.
  if (written === undefined && getObject(parts.store, resource, key) !== job) return settled
  await deletePods(parts, plan.remove)
  const failure = await createPods(
    parts,
    ownerOf(controllerReference(kind, job.metadata), job.metadata, 'job-controller'),
    podsFor(job, plan.create),
  )
  return againAt(plan.againAtMs, failure === undefined ? undefined : nowMs + refusedRetryMs)
}

function podsFor(job: Job, count: number) {
  const { namespace, name } = job.metadata
  const owner = controllerReference(kind, job.metadata)
  const options = { namespace, namePrefix: name, owner, finalizers: [trackingFinalizer] }
  return Array.from({ length: count }, () => buildPod(job.spec?.template ?? {}, options))
}

async function letGo({ api }: ControllerParts, pods: readonly Pod[]): Promise<void> {
  for (const { metadata } of pods) {
    if (metadata.finalizers?.includes(trackingFinalizer) !== true) continue
    const finalizers = metadata.finalizers.filter((name) => name !== trackingFinalizer)
    const patch = { metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, finalizers } }
    await ignoring(['Conflict', 'NotFound'], api.mergePatch('pods', nameOf(metadata), patch))
  }
}

/** The job is gone; the controller will not count its pods any more. */
async function letOrphansGo(parts: ControllerParts, index: ObjectGroups<'pods'>, key: string): Promise<Next> {
  const namespace = key.slice(0, key.indexOf('/'))
  const pods = readAs<Pod[]>(parts.store.list('pods', namespace))
  const left = pods.filter(({ metadata }) => {
    const controller = controllerOf(metadata)
    return (
      controller?.kind === kind.kind && `${namespace}/${controller.name}` === key && index.count(controller.uid) > 0
    )
  })
  await letGo(parts, left)
  return settled
}
