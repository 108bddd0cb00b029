import type { KubernetesObject, New } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { evacuationGroup, managedByLifeboat, nodeMaintenanceGroup } from '../../api/names.ts'
import { takenOver } from '../policies/evict-time-policy.ts'

/** Where the listener answers, behind the secret component; by these plain paths logs and metrics name a webhook. */
export const webhookPaths = {
  mutateEvacuations: '/evacuations/mutate',
  interceptEvictions: '/evictions/intercept',
  holdPods: '/pods/hold',
  makeEvictTime: '/pods/evict-time',
  mutateNodeMaintenances: '/nodemaintenances/mutate',
  validateNodeMaintenances: '/nodemaintenances/validate',
} as const

export type WebhookPath = (typeof webhookPaths)[keyof typeof webhookPaths]

/** How the API server reaches a webhook; caBundle is base64 of PEM. */
export type WebhookClientConfig =
  | { readonly url: string; readonly caBundle: string }
  | {
      readonly service: {
        readonly namespace: string
        readonly name: string
        readonly path: string
        readonly port?: number
      }
      readonly caBundle: string
    }

export interface WebhookConfigurationOptions {
  readonly client: (path: WebhookPath) => WebhookClientConfig
  /** As the API server names it: `system:serviceaccount:NAMESPACE:NAME`. */
  readonly serviceAccountUser: string
  /** Whether evictions of others are turned into Evacuations. */
  readonly interception: boolean
  /** Whether new DaemonSet pods are held off nodes under maintenance. */
  readonly maintenanceHold: boolean
  /** Whether NodeMaintenances are completed and checked. */
  readonly nodeMaintenances: boolean
  /** Whether new pods get the time that their controllers need on dead nodes. */
  readonly evictTime: boolean
}

export interface WebhookConfiguration extends KubernetesObject {
  readonly webhooks: readonly Webhook[]
}

export interface Webhook {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly object[]
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly timeoutSeconds: number
  readonly sideEffects: 'None' | 'NoneOnDryRun'
  readonly matchPolicy: 'Equivalent'
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[]
  readonly admissionReviewVersions: readonly ['v1']
}

export interface WebhookConfigurations {
  readonly mutating: readonly New<WebhookConfiguration>[]
  readonly validating: readonly New<WebhookConfiguration>[]
}

const registration = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const

export const mutatingWebhookConfigurations: Resource<WebhookConfiguration> = {
  ...registration,
  plural: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
}

export const validatingWebhookConfigurations: Resource<WebhookConfiguration> = {
  ...registration,
  plural: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
}

export const configurationNames = {
  evacuations: 'lifeboat-admission-evacuations',
  evictions: 'lifeboat-admission-evictions',
  daemonSetPods: 'lifeboat-admission-daemon-set-pods',
  nodeMaintenances: 'lifeboat-admission-node-maintenances',
  evictTime: 'lifeboat-admission-evict-time',
} as const

/**
 * As 0.1.0 called them, whose replicas answer plain paths at another port. With other names, and no right to change
 * these, the last replica of 0.1.0 in an upgrade cannot point the API server back to itself just before it ends. Can go
 * when upgrades from 0.1.0 are not supported any more.
 */
const formerNames: readonly [Resource<WebhookConfiguration>, name: string][] = [
  [mutatingWebhookConfigurations, 'lifeboat-node-maintenances'],
  [validatingWebhookConfigurations, 'lifeboat-node-maintenances'],
  [mutatingWebhookConfigurations, 'lifeboat-daemon-set-pods'],
  [validatingWebhookConfigurations, 'lifeboat-evictions'],
  [mutatingWebhookConfigurations, 'lifeboat-evacuations'],
  [validatingWebhookConfigurations, 'lifeboat-evacuations'],
]

/** Of a former release: only ever removed. */
export function formerConfigurations(): New<WebhookConfiguration>[] {
  return formerNames.map(([resource, name]) => configuration(resource, name, []))
}

/** The webhook for new Evacuations, and in configurations of their own, so that each can go by itself, the others. */
export function buildWebhookConfigurations(options: WebhookConfigurationOptions): WebhookConfigurations {
  const { evacuations, evictions, daemonSetPods, nodeMaintenances, evictTime } = configurationNames
  const mutating = (isOn: boolean, name: string, webhook: Webhook) =>
    isOn ? [configuration(mutatingWebhookConfigurations, name, [webhook])] : []
  const validating = (isOn: boolean, name: string, webhook: Webhook) =>
    isOn ? [configuration(validatingWebhookConfigurations, name, [webhook])] : []
  return {
    mutating: [
      ...mutating(true, evacuations, buildMutation(options)),
      ...mutating(options.maintenanceHold, daemonSetPods, buildHold(options)),
      ...mutating(options.nodeMaintenances, nodeMaintenances, buildMaintenanceMutation(options)),
      ...mutating(options.evictTime, evictTime, buildEvictTime(options)),
    ],
    validating: [
      ...validating(options.interception, evictions, buildInterception(options)),
      ...validating(options.nodeMaintenances, nodeMaintenances, buildMaintenanceValidation(options)),
    ],
  }
}

function configuration(
  { group, version, kind }: Resource<WebhookConfiguration>,
  name: string,
  webhooks: Webhook[],
): New<WebhookConfiguration> {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, labels: { ...managedByLifeboat } }, webhooks }
}

const reviewed = { sideEffects: 'None', matchPolicy: 'Equivalent', admissionReviewVersions: ['v1'] } as const
/** Nothing passes that was not looked at. */
const strict = { ...reviewed, failurePolicy: 'Fail', timeoutSeconds: 10 } as const
/** With Lifeboat out of reach all is as it was without it. */
const lenient = { ...reviewed, failurePolicy: 'Ignore', timeoutSeconds: 5 } as const

function buildMutation(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `mutate.${evacuationGroup}`,
    clientConfig: options.client(webhookPaths.mutateEvacuations),
    rules: [evacuationRule(['evacuations'], ['CREATE'])],
    matchConditions: [notLifeboat(options)],
    ...strict,
  }
}

function buildInterception(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `intercept.${evacuationGroup}`,
    clientConfig: options.client(webhookPaths.interceptEvictions),
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['pods/eviction'],
        scope: 'Namespaced',
      },
    ],
    matchConditions: [notLifeboat(options)],
    ...lenient,
    sideEffects: 'NoneOnDryRun',
  }
}

const newPods = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['pods'],
  scope: 'Namespaced',
}

/** No pod but those of DaemonSets ever waits for it. */
function buildHold(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `hold.${nodeMaintenanceGroup}`,
    clientConfig: options.client(webhookPaths.holdPods),
    rules: [newPods],
    matchConditions: [ofDaemonSet],
    ...lenient,
  }
}

/** A pod that gets no time goes when Kubernetes says, so none waits long for it. */
function buildEvictTime(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `evict-time.${evacuationGroup}`,
    clientConfig: options.client(webhookPaths.makeEvictTime),
    rules: [newPods],
    matchConditions: [takenOver],
    ...lenient,
    timeoutSeconds: 2,
  }
}

function buildMaintenanceMutation(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `mutate.${nodeMaintenanceGroup}`,
    clientConfig: options.client(webhookPaths.mutateNodeMaintenances),
    rules: [maintenanceRule(['nodemaintenances'], ['CREATE', 'UPDATE'])],
    matchConditions: [notLifeboat(options)],
    ...strict,
  }
}

/** Validating, although there is a mutating one: only what has passed the schema and all others tells what is selected. */
function buildMaintenanceValidation(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `validate.${nodeMaintenanceGroup}`,
    clientConfig: options.client(webhookPaths.validateNodeMaintenances),
    rules: [
      maintenanceRule(['nodemaintenances'], ['CREATE', 'UPDATE', 'DELETE']),
      // An admin may switch machines off because it says that all pods are gone.
      maintenanceRule(['nodemaintenances/status'], ['UPDATE']),
    ],
    matchConditions: [notLifeboat(options), notCleaningUp],
    ...strict,
  }
}

const ofDaemonSet = {
  name: 'of-daemon-set',
  expression: `has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner, owner.kind == 'DaemonSet' && owner.apiVersion == 'apps/v1' && has(owner.controller) && owner.controller)`,
}

export function evacuationRule(resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [evacuationGroup], apiVersions: ['*'], operations, resources, scope: 'Namespaced' }
}

function maintenanceRule(resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [nodeMaintenanceGroup], apiVersions: ['*'], operations, resources, scope: 'Cluster' }
}

/** Its own writes cost no call; its dry runs do, so that it can find out whether the API server reaches it. */
function notLifeboat({ serviceAccountUser }: WebhookConfigurationOptions) {
  const isDryRun = 'has(request.dryRun) && request.dryRun'
  const expression = `request.userInfo.username != '${serviceAccountUser}' || (${isDryRun})`
  return { name: 'not-lifeboat', expression }
}

/** A controller that deletes what belongs to a deleted namespace or owner must not be stopped, or neither would go. */
const cleaners = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
]

export const notCleaningUp = {
  name: 'not-cleaning-up',
  expression: `request.operation != 'DELETE' || !(request.userInfo.username in [${cleaners.map((name) => `'${name}'`).join(', ')}])`,
}
