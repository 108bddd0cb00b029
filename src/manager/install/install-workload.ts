import type { Manifest } from '../../api/kubernetes/meta.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { isWebhookConfiguration } from '../register/admission-objects.ts'
import { InstallationError, nameOf, readObject, removeObject, serves, type ApplyParts } from './apply.ts'
import { everyObject } from './install.ts'
import { installation } from './installation-names.ts'
import { mutatingAdmissionPolicies, resourceOf } from '../manifests/resources.ts'
import { helmReleaseIn, leaderIn } from '../register/presence.ts'
import { probeWebhook } from '../register/probe-webhook.ts'
import { removeFormer } from '../register/registration.ts'

export interface InstallWorkloadOptions {
  /** Takes the place of the one in the manifests. */
  readonly image?: string
  readonly dryRun: boolean
  readonly print: (line: string) => void
}

const fieldManager = 'lifeboat-install'
const limits = { availableWithinMs: 180_000, reachedWithinMs: 30_000, lookEveryMs: 500 }
const { namespace } = installation

/**
 * Puts in all of deploy/lifeboat.yaml, as `kubectl apply --server-side` would, and the policy that makes time where the
 * API server knows the kind. Waits until it does its work.
 */
export async function installWorkload(parts: ApplyParts, options: InstallWorkloadOptions): Promise<void> {
  await refuseBesideAnother(parts)
  const dry = options.dryRun ? ' (server dry run)' : ''
  const isPolicyKnown = await serves(parts, mutatingAdmissionPolicies)
  for (const object of everyObject(isPolicyKnown ? ['policy', 'webhook'] : ['webhook'])) {
    const applied = await applyOne(parts, withImage(object, options.image), options.dryRun)
    options.print(`${applied ? 'applied' : 'would apply'} ${nameOf(resourceOf(object), object)}${dry}`)
  }
  if (options.dryRun) return
  // Before its replicas end: the API server would call them still.
  for (const name of await removeFormer(parts)) options.print(`removed ${name}`)
  const { replicas } = await untilAvailable(parts)
  options.print(`${replicas} replicas run`)
  await untilReached(parts)
  options.print('the API server reaches the webhooks')
}

/** Two that each think the cluster theirs would take one another's webhooks away. */
async function refuseBesideAnother(parts: ApplyParts): Promise<void> {
  const release = await helmReleaseIn(parts, namespace)
  if (release !== undefined) {
    throw new InstallationError(
      `Lifeboat is here as Helm's release ${release}; change it with helm upgrade ${release} --namespace ${namespace}`,
    )
  }
  const isInstalled = (await readObject(parts, deployments, deploymentKey)) !== undefined
  const leader = isInstalled ? undefined : await leaderIn(parts, namespace)
  if (leader === undefined) return
  throw new InstallationError(`Lifeboat runs for this cluster from outside, as ${leader}; end that first`)
}

/** False: a dry run cannot tell, as the namespace that it would be in is not there. */
async function applyOne(parts: ApplyParts, object: Manifest, dryRun: boolean): Promise<boolean> {
  const { kube, signal } = parts
  const resource = resourceOf(object)
  if (!dryRun) await removeIfElsewhere(parts, object)
  try {
    await kube.apply(resource, object, { fieldManager, dryRun, signal })
    return true
  } catch (error) {
    if (dryRun && object.metadata.namespace !== undefined && isKubeError(error, 'notFound')) return false
    throw error
  }
}

/** What a `lifeboat run` left that was killed leads to no process, and refuses requests until the new replicas lead. */
async function removeIfElsewhere(parts: ApplyParts, object: Manifest): Promise<void> {
  if (!isWebhookConfiguration(object)) return
  const resource = resourceOf(object)
  const existing = await readObject(parts, resource, keyOf(object))
  const { webhooks = [] } = (existing ?? {}) as { webhooks?: readonly { clientConfig?: { url?: string } }[] }
  const leadsElsewhere = webhooks.some(({ clientConfig }) => clientConfig?.url !== undefined)
  if (existing !== undefined && leadsElsewhere) await removeObject(parts, resource, existing)
}

export function withImage(object: Manifest, image?: string): Manifest {
  if (image === undefined || object.kind !== 'Deployment') return object
  const { spec } = object as InstalledDeployment
  const podSpec = spec.template.spec
  const containers = podSpec.containers.map((container) => ({ ...container, image }))
  const template = { ...spec.template, spec: { ...podSpec, containers } }
  return { ...object, spec: { ...spec, template } } as Manifest
}

interface InstalledDeployment extends Manifest {
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly spec: { readonly containers: readonly object[] } }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
  }
}

const deploymentKey = { namespace, name: installation.deployment }

async function untilAvailable(parts: ApplyParts): Promise<{ replicas: number }> {
  const patience = { ...parts, withinMs: limits.availableWithinMs, everyMs: limits.lookEveryMs }
  const replicas = await lookUntil(patience, async () => {
    const deployment = await readObject(parts, deployments, deploymentKey)
    return availableReplicas(deployment as InstalledDeployment | undefined)
  })
  if (replicas === undefined) throw new InstallationError(await whyNot(parts))
  return { replicas }
}

/** Undefined: not all of them, or not all of this version. */
export function availableReplicas(deployment: InstalledDeployment | undefined): number | undefined {
  const { metadata, spec, status } = deployment ?? {}
  const wanted = spec?.replicas ?? 1
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? Infinity)
  const counts = [status?.updatedReplicas, status?.availableReplicas, status?.replicas]
  return isSeen && counts.every((count) => count === wanted) ? wanted : undefined
}

/** What the pods wait for, in the words of their status. */
async function whyNot({ kube, signal }: ApplyParts): Promise<string> {
  const { items } = await kube.list(pods, {
    namespace,
    labelSelector: 'app.kubernetes.io/component=controller',
    signal,
  })
  const reasons = items.flatMap(({ metadata, status }) => {
    const waiting = status?.containerStatuses?.map(({ state }) => state?.waiting).find((state) => state !== undefined)
    const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
    const reason = [waiting?.reason ?? unscheduled?.reason, waiting?.message ?? unscheduled?.message]
    return reason[0] === undefined ? [] : [`${metadata.name}: ${reason.filter(Boolean).join(': ')}`]
  })
  const told = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  return `the replicas do not become available${told}: see kubectl describe pods --namespace ${namespace}`
}

/** The leader tells the API server of the certificate a moment after the replicas are up. */
async function untilReached(parts: ApplyParts): Promise<void> {
  let why = ''
  const patience = { ...parts, withinMs: limits.reachedWithinMs, everyMs: limits.lookEveryMs }
  const isReached = await lookUntil(patience, async () => {
    const outcome = await probeWebhook(parts.kube, namespace, parts.signal)
    why = outcome.kind === 'failed' ? outcome.message : 'it does not know of them'
    return outcome.kind === 'reached' ? true : undefined
  })
  if (isReached !== undefined) return
  throw new InstallationError(
    `the replicas run, but the API server does not reach their webhooks at port 9443: ${why}; is there a firewall?`,
  )
}
