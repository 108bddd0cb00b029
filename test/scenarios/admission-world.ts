import type { HookHandler } from './webhook-server.ts'
import type { StoryNeeds, World } from './scenario.ts'

// What scenarios about policies and webhooks share. Both are for the whole cluster, so each is kept to the namespace of
// its scenario; and the real server takes a moment until they are in effect, which a sentinel of the same kind tells.

export interface AdmissionWorld extends World {
  /** Texts of the Warning headers since somebody last asked; they go into the observations. */
  observeWarnings(): void
  /** A webhook of this scenario, answered by the test: what to put into its configuration. */
  hook(path: string, handler: HookHandler): { readonly url: string; readonly caBundle: string }
}

export interface AdmissionScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: AdmissionWorld) => Promise<void>
}

export const paths = {
  pods: '/api/v1/namespaces/NS/pods',
  configMaps: '/api/v1/namespaces/NS/configmaps',
  /** Nothing but sentinels: no scenario is about them. */
  secrets: '/api/v1/namespaces/NS/secrets',
  policies: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  bindings: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  mutating: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  validating: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
}

export const merge = { contentType: 'application/merge-patch+json' }
export const onlyHere = { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } }

export function rule(resources: string, operations = 'CREATE', extra: object = {}): object {
  return {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: operations.split(','),
    resources: resources.split(','),
    ...extra,
  }
}

export interface PolicyCase {
  readonly name?: string
  readonly rules?: readonly object[]
  readonly constraints?: object
  readonly spec?: object
  readonly validations: readonly object[]
  /** What the binding has beside its policy and actions. */
  readonly binding?: object
  readonly actions?: readonly string[]
}

export function policyOf(policy: PolicyCase): object {
  const { name = 'NS-policy', rules = [rule('configmaps')], constraints = {}, spec = {}, validations } = policy
  const matchConstraints = { resourceRules: rules, namespaceSelector: onlyHere, ...constraints }
  return { metadata: { name }, spec: { matchConstraints, validations, ...spec } }
}

export function bindingOf({ name = 'NS-policy', binding = {}, actions = ['Deny'] }: PolicyCase): object {
  return { metadata: { name }, spec: { policyName: name, validationActions: actions, ...binding } }
}

/** Puts policies with one binding each in effect. */
export async function arrangePolicies(world: World, ...policies: readonly PolicyCase[]): Promise<void> {
  const validations = [{ expression: "object.metadata.name != 'sentinel'", message: 'in effect' }]
  for (const policy of [...policies, { name: 'NS-sentinel', rules: [rule('secrets')], validations }]) {
    await world.arrange('POST', paths.policies, policyOf(policy))
    await world.arrange('POST', paths.bindings, bindingOf(policy))
  }
  await untilRefused(world, 'sentinel')
}

async function untilRefused(world: World, name: string): Promise<void> {
  const attempt = async () => {
    const answer = await world.attempt('POST', paths.secrets, { metadata: { name } })
    if (answer.status === 201) await world.attempt('DELETE', `${paths.secrets}/${name}`, undefined)
    return answer
  }
  await world.eventually('configuration is in effect', attempt, ({ body }) =>
    String(body['message']).includes('in effect'),
  )
}

export interface WebhookCase {
  readonly name?: string
  readonly rules?: readonly object[]
  readonly client: object
  readonly extra?: object
}

export function webhookOf({ name = 'one', rules = [rule('configmaps')], client, extra = {} }: WebhookCase): object {
  return {
    name: `${name}.example.com`,
    clientConfig: client,
    rules,
    namespaceSelector: onlyHere,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...extra,
  }
}

/** Puts webhooks in effect, each in a configuration of its own. */
export async function arrangeWebhooks(
  world: AdmissionWorld,
  kind: 'mutating' | 'validating',
  ...webhooks: readonly WebhookCase[]
): Promise<void> {
  const client = world.hook('/sentinel', () => ({ response: { allowed: false, status: { message: 'in effect' } } }))
  const sentinel = { name: `sentinel-${kind}`, rules: [rule('secrets')], client }
  for (const webhook of [...webhooks, sentinel]) {
    const name = `NS-${webhook.name ?? 'one'}`
    await world.arrange('POST', paths[kind], { metadata: { name }, webhooks: [webhookOf(webhook)] })
  }
  await untilRefused(world, `sentinel-${kind}`)
}

export function configMap(name: string, extra: object = {}, metadata: object = {}): object {
  return { metadata: { name, namespace: 'NS', ...metadata }, ...extra }
}

export async function arrangePod(world: World, name: string, metadata: object = {}): Promise<void> {
  await world.arrange('POST', paths.pods, {
    metadata: { name, namespace: 'NS', ...metadata },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
}

export function eviction(name: string): object {
  return { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'NS' } }
}

/** The words of a compiler are its own: of those only the place is compared. */
export async function refusedAt(world: AdmissionWorld, path: string, object: object): Promise<void> {
  const { status, body } = await world.attempt('POST', path, object)
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { reason?: string; field?: string }[] }
  world.observe('refused at', {
    status,
    reason: body['reason'],
    causes: causes.map(({ reason, field }) => ({ reason, field })),
  })
}
