import { buildEvictTimePolicy } from '../../admission/policies/evict-time-policy.ts'
import { ownAccountPolicyName } from '../../admission/policies/own-account-policy.ts'
import { concealSecrets } from '../../admission/serving/path-secret.ts'
import { buildPolicies } from '../../admission/policies/policies.ts'
import { buildWebhookConfigurations, type WebhookClientConfig } from '../../admission/serving/webhook-configurations.ts'
import { knowsDaemonSets, knowsMaintenances, type FeatureGates } from '../../api/feature-gates.ts'
import type { Manifest } from '../../api/kubernetes/meta.ts'
import { managedLabels, userOfServiceAccount, withLabels } from '../install/installation-names.ts'

/** Webhook configurations, policies and their bindings: those that the gates ask for, and those that they rule out. */
export interface AdmissionObjects {
  readonly wanted: readonly Manifest[]
  readonly unwanted: readonly Manifest[]
}

/** What makes time for the controllers of pods on dead nodes: one of them is enough, and the policy is the better one. */
export type EvictTimeBy = 'policy' | 'webhook'

export interface AdmissionObjectsOptions {
  readonly gates: FeatureGates
  readonly namespace: string
  /** Undefined while nothing is served: with the gate off. */
  readonly client: ((path: string) => WebhookClientConfig) | undefined
  readonly evictTimeBy: readonly EvictTimeBy[]
  /** Of pods that say nothing themselves, as CEL reads it: 60s. */
  readonly controllerEvictTimeout: string
}

/** Stands where the API server will send no request: in objects of which only the names matter. */
export const nowhere: WebhookClientConfig = { url: 'https://localhost', caBundle: '' }

export function admissionObjects(options: AdmissionObjectsOptions): AdmissionObjects {
  const { gates, client, evictTimeBy } = options
  const serviceAccountUser = userOfServiceAccount(options.namespace)
  const { mutating, validating } = buildWebhookConfigurations({
    client: client ?? (() => nowhere),
    serviceAccountUser,
    interception: true,
    maintenanceHold: true,
    nodeMaintenances: true,
    evictTime: true,
  })
  const isServed = gates.EvacuationAPI && client !== undefined
  const [completion, daemonSetPods, maintenanceCompletion, evictTime] = mutating
  const [evictions, maintenances] = validating
  const policies = buildPolicies(serviceAccountUser)
  const knowsPolicies = gates.EvacuationAPI && gates.PodEvictPolicy
  const objects: readonly [isOn: boolean, objects: readonly (Manifest | undefined)[]][] = [
    // No gate switches it off: the right that it limits is always there.
    [true, policies.ownAccount],
    // Never ruled out: it checks every writer while no webhook does.
    [true, policies.evacuationRights],
    [gates.EvacuationAPI, policies.evacuatorAnnotations],
    [knowsPolicies, policies.evictPolicy],
    [knowsPolicies && evictTimeBy.includes('policy'), buildEvictTimePolicy(options.controllerEvictTimeout)],
    [knowsMaintenances(gates), policies.cordon],
    [isServed && knowsMaintenances(gates), [maintenanceCompletion, maintenances]],
    [isServed && knowsDaemonSets(gates), [daemonSetPods]],
    [isServed && knowsPolicies && evictTimeBy.includes('webhook'), [evictTime]],
    [isServed && gates.EvictionInterception, [evictions]],
    // The probe asks for an Evacuation: when the API server reaches that, it should know all others already.
    [isServed, [completion]],
  ]
  const pick = (wanted: boolean) =>
    objects.flatMap(([isOn, some]) =>
      isOn === wanted ? some.flatMap((object) => (object === undefined ? [] : [withLabels(object)])) : [],
    )
  return { wanted: pick(true), unwanted: pick(false) }
}

/** Whether it takes back a part of what its account may do: put in before the account, and taken out after it. */
export function limitsOwnAccount({ metadata }: Manifest): boolean {
  return metadata.name === ownAccountPolicyName
}

/** Helm puts its own name over ours on all that a chart brings; what the object is called for stays. */
export function isOurs({ metadata }: Manifest): boolean {
  const [manager, name] = ['app.kubernetes.io/managed-by', 'app.kubernetes.io/name'] as const
  const found = metadata.labels ?? {}
  return found[manager] === managedLabels[manager] || (found[manager] === 'Helm' && found[name] === managedLabels[name])
}

interface WebhookList {
  readonly webhooks?: readonly { readonly clientConfig?: { readonly url?: string; readonly service?: object } }[]
}

/** Whether two configurations send the API server to the same place, by whatever secret of that place. */
export function pointToTheSame(a: object, b: object): boolean {
  const addresses = ({ webhooks = [] }: WebhookList) =>
    concealSecrets(JSON.stringify(webhooks.map(({ clientConfig }) => clientConfig?.url ?? clientConfig?.service)))
  return addresses(a) === addresses(b)
}

/**
 * As manifests have it. What a manifest says of webhooks, Helm and `kubectl apply` would put back at each upgrade, and
 * they do not know the secret in the paths: so the list is Lifeboat's alone.
 */
export function withoutWebhooks(object: Manifest): Manifest {
  if (!isWebhookConfiguration(object)) return object
  const { webhooks: _webhooks, ...rest } = object as Manifest & { readonly webhooks?: unknown }
  return rest
}

export function isWebhookConfiguration({ kind }: Manifest): boolean {
  return kind === 'MutatingWebhookConfiguration' || kind === 'ValidatingWebhookConfiguration'
}

/** Of a kind that API servers before 1.36 do not have. */
export function isMutatingPolicy({ kind }: Manifest): boolean {
  return kind === 'MutatingAdmissionPolicy' || kind === 'MutatingAdmissionPolicyBinding'
}

export function isPolicyBinding({ kind }: Manifest): boolean {
  return kind === 'ValidatingAdmissionPolicyBinding' || kind === 'MutatingAdmissionPolicyBinding'
}

/** The same object, having no effect: for an account that may change it, but not delete it and make it again. */
export function switchedOff(object: Manifest): Manifest | undefined {
  if ('webhooks' in object) return { ...object, webhooks: [] } as Manifest
  if (object.kind !== 'ValidatingAdmissionPolicy' && object.kind !== 'MutatingAdmissionPolicy') return undefined
  const { spec } = object as { readonly spec?: object }
  return {
    ...object,
    spec: { ...spec, matchConditions: [{ name: 'switched-off', expression: 'false' }] },
  } as Manifest
}
