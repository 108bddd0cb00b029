import { celDurationOf } from '../../admission/policies/evict-time-policy.ts'
import { buildPolicies } from '../../admission/policies/policies.ts'
import { certificateSecretName } from '../../admission/serving/stored-serving-certificate.ts'
import { formerConfigurations } from '../../admission/serving/webhook-configurations.ts'
import {
  customResourceDefinitions,
  type CustomResourceDefinition,
} from '../../api/schema/custom-resource-definitions.ts'
import { featureGateDefaults, type FeatureGates } from '../../api/feature-gates.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { KubernetesObject, Manifest, New } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import {
  admissionObjects,
  isOurs,
  isPolicyBinding,
  limitsOwnAccount,
  nowhere,
  withoutWebhooks,
  type EvictTimeBy,
} from '../register/admission-objects.ts'
import { applyAll, InstallationError, readObject, removeObject, serves, type ApplyParts } from './apply.ts'
import { findEvictTimeBy } from '../register/find-evict-time-by.ts'
import { installation, userOfServiceAccount, withLabels } from './installation-names.ts'
import { buildAccess, buildReleaseAccess, type ChangedObjects } from '../manifests/rbac.ts'
import { resourceOf } from '../manifests/resources.ts'
import { releaseEvacuations, releaseMaintenances } from '../release/release.ts'
import workload from '../manifests/workload.json' with { type: 'json' }

const certificateSecret = certificateSecretName
/** As the flag --controller-evict-timeout has it. */
const defaultEvictTimeoutMs = 60_000
const limits = { servedWithinMs: 30_000, lookEveryMs: 100 }
const kinds: readonly Resource<KubernetesObject>[] = [evacuations, nodeMaintenances]

/** All but webhooks and policies, which follow from the gates: in the order in which one needs the other. */
export function installationObjects(namespace: string): Manifest[] {
  return [...definitions(), ...buildAccess({ namespace, certificateSecret, changed: changedObjects(namespace) })]
}

/** For the Job by which a release of the chart leaves. */
export function releaseObjects(namespace: string): Manifest[] {
  return buildReleaseAccess({ namespace, certificateSecret, changed: changedObjects(namespace) })
}

/** What runs Lifeboat within a cluster: its namespace, two replicas, and what leads to them. Generated from the chart. */
export function workloadObjects(): Manifest[] {
  return workload
}

/**
 * All of deploy/lifeboat.yaml, policies first: who may write an Evacuation is known before there is one. With the policy
 * that makes time only where the API server is known to have the kind.
 */
export function everyObject(evictTimeBy: readonly EvictTimeBy[] = ['webhook']): Manifest[] {
  const { namespace } = installation
  const wanted = wantedObjects(namespace, featureGateDefaults, evictTimeBy).map(withoutWebhooks)
  const [first, ...more] = workloadObjects()
  const access = installationObjects(namespace).filter(({ kind }) => kind !== 'Namespace')
  const isPolicy = ({ kind }: Manifest) => kind?.includes('AdmissionPolicy') === true
  const [policies, webhooks] = [wanted.filter(isPolicy), wanted.filter((object) => !isPolicy(object))]
  return [...(first === undefined ? [] : [first]), ...policies, ...access, ...more, ...webhooks]
}

/** With our labels, as everything that uninstall takes away. */
export function definitions(): New<CustomResourceDefinition>[] {
  return customResourceDefinitions().map(withLabels)
}

/** Every webhook configuration, policy and binding that there can be. */
export function everyAdmissionObject(namespace: string): Manifest[] {
  return wantedObjects(namespace, featureGateDefaults, ['policy', 'webhook'])
}

/** Those that these gates ask for. Where webhooks lead is of no matter here, and a timeout is set by who runs. */
function wantedObjects(namespace: string, gates: FeatureGates, evictTimeBy: readonly EvictTimeBy[]): Manifest[] {
  const controllerEvictTimeout = celDurationOf(defaultEvictTimeoutMs)
  return [...admissionObjects({ gates, namespace, client: () => nowhere, evictTimeBy, controllerEvictTimeout }).wanted]
}

function changedObjects(namespace: string): ChangedObjects {
  // A policy that its own account could change would limit nothing.
  const objects = everyAdmissionObject(namespace).filter((object) => !limitsOwnAccount(object))
  const named = (wanted: string, among = objects) =>
    among.filter(({ kind }) => kind === wanted).map(({ metadata }) => metadata.name)
  return {
    mutating: named('MutatingWebhookConfiguration'),
    validating: named('ValidatingWebhookConfiguration'),
    policies: named('ValidatingAdmissionPolicy'),
    bindings: named('ValidatingAdmissionPolicyBinding'),
    mutatingPolicies: named('MutatingAdmissionPolicy'),
    mutatingBindings: named('MutatingAdmissionPolicyBinding'),
    formerMutating: named('MutatingWebhookConfiguration', formerConfigurations()),
    formerValidating: named('ValidatingWebhookConfiguration', formerConfigurations()),
  }
}

/**
 * As an admin: puts in what Lifeboat stands on, and waits until the API server serves its kinds. Who may write an
 * Evacuation comes before the kind itself, so that none is stored unchecked.
 */
export async function install(parts: ApplyParts, namespace: string): Promise<void> {
  const { evacuationRights, ownAccount } = buildPolicies(userOfServiceAccount(namespace))
  await applyAll(parts, [...evacuationRights, ...ownAccount].map(withLabels))
  await letGoOfDefinitionsBeingDeleted(parts, namespace)
  await applyAll(parts, installationObjects(namespace))
  for (const kind of kinds) await untilServed(parts, kind)
}

/**
 * A user deleted a definition of ours, and Lifeboat did not run until its end. The definition waits for its objects,
 * and those for our finalizers: it would never go, and nothing can be created before. Webhooks of a Lifeboat that was
 * killed must not keep the finalizers there; the start registers them again.
 */
async function letGoOfDefinitionsBeingDeleted(parts: ApplyParts, namespace: string): Promise<void> {
  const found = await Promise.all(definitions().map((each) => readObject(parts, resourceOf(each), keyOf(each))))
  const ending = new Set(found.filter(isBeingDeleted).map(({ metadata }) => metadata.name))
  if (ending.size === 0) return
  for (const object of everyAdmissionObject(namespace).filter((each) => 'webhooks' in each)) {
    const existing = await readObject(parts, resourceOf(object), keyOf(object))
    if (existing !== undefined && isOurs(existing)) await removeObject(parts, resourceOf(object), existing)
  }
  if (ending.has(definitionNameOf(evacuations))) await releaseEvacuations(parts)
  if (ending.has(definitionNameOf(nodeMaintenances))) await releaseMaintenances(parts)
}

function isBeingDeleted(object: KubernetesObject | undefined): object is KubernetesObject {
  return object?.metadata.deletionTimestamp !== undefined
}

function definitionNameOf({ plural, group }: Resource<KubernetesObject>): string {
  return `${plural}.${group}`
}

/**
 * Which parts Lifeboat's own account does not find, in words. It sees no more than it needs: neither definitions nor
 * bindings, so those are judged by what they make possible.
 */
export async function missingParts(parts: ApplyParts, namespace: string, gates: FeatureGates): Promise<string[]> {
  const missing: string[] = []
  try {
    for (const kind of [evacuations, nodeMaintenances]) {
      if (!(await isServed(parts, kind))) missing.push(`the CustomResourceDefinition of ${kind.plural}`)
    }
    const evictTimeBy = await findEvictTimeBy(parts, 'updateOnly')
    for (const object of wantedObjects(namespace, gates, [evictTimeBy])) {
      if (isPolicyBinding(object)) continue
      const found = await readObject(parts, resourceOf(object), keyOf(object))
      if (found === undefined) missing.push(`the ${object.kind} ${object.metadata.name}`)
    }
  } catch (error) {
    if (!(error instanceof InstallationError) && !isKubeError(error, 'forbidden')) throw error
    missing.push(`rights of the service account (${error.message})`)
  }
  return missing
}

/** A CRD that is new answers 404, then 429 while its storage begins, and a moment later as it should. */
async function untilServed(parts: ApplyParts, kind: Resource<KubernetesObject>): Promise<void> {
  const patience = { ...parts, withinMs: limits.servedWithinMs, everyMs: limits.lookEveryMs }
  const isThere = await lookUntil(patience, async () => ((await isServed(parts, kind)) ? true : undefined))
  if (isThere === undefined) {
    throw new InstallationError(
      `the API server does not serve ${kind.plural}.${kind.group}: see the status of that CRD`,
    )
  }
}

async function isServed(parts: ApplyParts, kind: Resource<KubernetesObject>): Promise<boolean> {
  try {
    return await serves(parts, kind)
  } catch (error) {
    if (isKubeError(error, 'tooManyRequests')) return false
    throw error
  }
}
