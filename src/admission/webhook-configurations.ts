import type { KubernetesObject } from '../api/kubernetes/meta.ts'
import type { Resource } from '../api/kubernetes/resources.ts'
import { evacuationGroup, nodeMaintenanceGroup } from '../api/names.ts'

/** Where the listener answers, and so what the configurations point at. */
export const webhookPaths = {
  mutateEvacuations: '/evacuations/mutate',
  validateEvacuations: '/evacuations/validate',
  interceptEvictions: '/evictions/intercept',
  holdPods: '/pods/hold',
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
}

export interface WebhookConfiguration extends KubernetesObject {
  webhooks: Webhook[]
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
  readonly mutating: readonly WebhookConfiguration[]
  readonly validating: readonly WebhookConfiguration[]
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

/** All that Lifeboat puts into a cluster bears it. */
export const managedByLifeboat = { 'app.kubernetes.io/managed-by': 'lifeboat' } as const

export const configurationNames = {
  evacuations: 'lifeboat-evacuations',
  evictions: 'lifeboat-evictions',
  daemonSetPods: 'lifeboat-daemon-set-pods',
} as const

/** The webhooks for Evacuations, and in configurations of their own, so that each can go by itself, the others. */
export function buildWebhookConfigurations(options: WebhookConfigurationOptions): WebhookConfigurations {
  const evacuations = configuration(validatingWebhookConfigurations, configurationNames.evacuations, [
    buildValidation(options),
  ])
  const evictions = configuration(validatingWebhookConfigurations, configurationNames.evictions, [
    buildInterception(options),
  ])
  const completion = configuration(mutatingWebhookConfigurations, configurationNames.evacuations, [
    buildMutation(options),
  ])
  const daemonSetPods = configuration(mutatingWebhookConfigurations, configurationNames.daemonSetPods, [
    buildHold(options),
  ])
  return {
    mutating: options.maintenanceHold ? [completion, daemonSetPods] : [completion],
    validating: options.interception ? [evacuations, evictions] : [evacuations],
  }
}

function configuration(
  { group, version, kind }: Resource<WebhookConfiguration>,
  name: string,
  webhooks: Webhook[],
): WebhookConfiguration {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name, labels: { ...managedByLifeboat } }, webhooks }
}

function buildMutation(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `mutate.${evacuationGroup}`,
    clientConfig: options.client(webhookPaths.mutateEvacuations),
    rules: [evacuationRule(['evacuations'], ['CREATE'])],
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    matchConditions: [notLifeboat(options)],
    admissionReviewVersions: ['v1'],
  }
}

function buildValidation(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `validate.${evacuationGroup}`,
    clientConfig: options.client(webhookPaths.validateEvacuations),
    rules: [evacuationRule(['evacuations'], ['UPDATE', 'DELETE']), evacuationRule(['evacuations/status'], ['UPDATE'])],
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    matchConditions: [notLifeboat(options), notCleaningUp],
    admissionReviewVersions: ['v1'],
  }
}

/** With Lifeboat out of reach evictions work as they did before. */
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
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'NoneOnDryRun',
    matchPolicy: 'Equivalent',
    matchConditions: [notLifeboat(options)],
    admissionReviewVersions: ['v1'],
  }
}

/** With Lifeboat out of reach pods are made as they always were. No pod but those of DaemonSets ever waits for it. */
function buildHold(options: WebhookConfigurationOptions): Webhook {
  return {
    name: `hold.${nodeMaintenanceGroup}`,
    clientConfig: options.client(webhookPaths.holdPods),
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' }],
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    matchConditions: [ofDaemonSet],
    admissionReviewVersions: ['v1'],
  }
}

const ofDaemonSet = {
  name: 'of-daemon-set',
  expression: `has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(owner, owner.kind == 'DaemonSet' && owner.apiVersion == 'apps/v1' && has(owner.controller) && owner.controller)`,
}

function evacuationRule(resources: readonly string[], operations: readonly string[]): object {
  return { apiGroups: [evacuationGroup], apiVersions: ['*'], operations, resources, scope: 'Namespaced' }
}

/** Its own writes cost no call; its dry runs do, so that it can find out whether the API server reaches it. */
function notLifeboat({ serviceAccountUser }: WebhookConfigurationOptions) {
  const isDryRun = 'has(request.dryRun) && request.dryRun'
  const expression = `request.userInfo.username != '${serviceAccountUser}' || (${isDryRun})`
  return { name: 'not-lifeboat', expression }
}

/** Whoever deletes what belongs to a deleted namespace or owner must not be stopped, or neither would ever be gone. */
const cleaners = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager',
]

const notCleaningUp = {
  name: 'not-cleaning-up',
  expression: `request.operation != 'DELETE' || !(request.userInfo.username in [${cleaners.map((name) => `'${name}'`).join(', ')}])`,
}
