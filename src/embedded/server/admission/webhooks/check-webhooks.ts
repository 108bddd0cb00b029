import { invalid, type FieldFault } from '../../failure.ts'
import { isMissing } from '../../identity.ts'
import { dnsSubdomain, subdomainRule } from '../../object-meta.ts'
import { duplicateValue, invalidValue, requiredValue } from '../../schema/fault.ts'
import type { AnyObject } from '../../store.ts'
import type { AdmissionPlugin } from '../chain.ts'
import type { AdmissionRequest } from '../admission.ts'
import { requestVariables } from './admission-expression.ts'
import { withScope } from './match-request.ts'
import {
  choiceFaults,
  conditionFaults,
  failurePolicies,
  matchPolicies,
  ruleFaults,
  withoutNulls,
} from './rule-faults.ts'
import {
  defaultTimeoutSeconds,
  webhooksOf,
  type ClientConfig,
  type ServiceReference,
  type WebhookSource,
} from './webhook-configuration.ts'

const timeoutSecondsMax = 30
const httpsPort = 443
/** Others cannot be told about dry runs, and are refused since these configurations are v1. */
const sideEffects = ['None', 'NoneOnDryRun']
const reinvocationPolicies = ['IfNeeded', 'Never']
const reviewVersions = ['v1', 'v1beta1']

/** Fills in and checks webhook configurations when a client writes one. */
export const webhookConfigurations = {
  mutate: (request: AdmissionRequest) => (concerns(request) ? withDefaults(request) : request.object),
  validate: (request: AdmissionRequest) => {
    if (!concerns(request) || request.object === undefined) return
    const { kind, group } = request.definition
    const faults = webhooksFaults(webhooksOf(request.object), request.oldObject !== undefined)
    if (faults.length > 0) throw invalid(kind, group, request.name, faults)
  },
} satisfies AdmissionPlugin

function concerns({ definition: { group, plural }, operation }: AdmissionRequest): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE'
  return isWrite && group === 'admissionregistration.k8s.io' && plural.endsWith('webhookconfigurations')
}

function withDefaults({ object, definition }: AdmissionRequest): AnyObject | undefined {
  if (object === undefined || !Array.isArray(object['webhooks'])) return object
  const isMutating = definition.plural.startsWith('mutating')
  return {
    ...object,
    webhooks: withoutNulls(webhooksOf(object)).map((webhook) => withWebhookDefaults(webhook, isMutating)),
  }
}

function withWebhookDefaults(webhook: WebhookSource, isMutating: boolean): WebhookSource {
  return {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: defaultTimeoutSeconds,
    ...(isMutating ? { reinvocationPolicy: 'Never' } : {}),
    ...webhook,
    clientConfig: withPort(webhook.clientConfig ?? {}),
    rules: (webhook.rules ?? []).map(withScope),
  }
}

function withPort(client: ClientConfig): ClientConfig {
  return client.service === undefined ? client : { ...client, service: { port: httpsPort, ...client.service } }
}

function webhooksFaults(webhooks: readonly WebhookSource[], isUpdate: boolean): FieldFault[] {
  const names = new Set<string | undefined>()
  return webhooks.flatMap((webhook, at) => {
    const { name }: Partial<WebhookSource> = webhook
    const faults = webhookFaults(webhook, `webhooks[${at}]`, isUpdate)
    if (!isMissing(name) && names.has(name)) faults.push(duplicateValue(`webhooks[${at}].name`, name))
    names.add(name)
    return faults
  })
}

function webhookFaults(webhook: WebhookSource, field: string, isUpdate: boolean): FieldFault[] {
  const { timeoutSeconds = defaultTimeoutSeconds, rules = [], admissionReviewVersions = [] } = webhook
  // What was stored with another value before may keep it.
  const checksSideEffects = !isUpdate
  return [
    ...nameFaults(webhook.name, `${field}.name`),
    ...rules.flatMap((rule, at) => ruleFaults(rule, `${field}.rules[${at}]`)),
    ...choiceFaults(webhook.failurePolicy, failurePolicies, `${field}.failurePolicy`),
    ...choiceFaults(webhook.matchPolicy, matchPolicies, `${field}.matchPolicy`),
    ...(webhook.sideEffects === undefined
      ? [requiredValue(`${field}.sideEffects`, `must specify one of ${sideEffects.join(', ')}`)]
      : []),
    ...(checksSideEffects ? choiceFaults(webhook.sideEffects, sideEffects, `${field}.sideEffects`) : []),
    ...(timeoutSeconds < 1 || timeoutSeconds > timeoutSecondsMax
      ? [invalidValue(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...choiceFaults(webhook.reinvocationPolicy, reinvocationPolicies, `${field}.reinvocationPolicy`),
    ...clientFaults(webhook.clientConfig ?? {}, `${field}.clientConfig`),
    ...conditionFaults(webhook.matchConditions ?? [], requestVariables, `${field}.matchConditions`),
    ...versionFaults(admissionReviewVersions, `${field}.admissionReviewVersions`),
  ]
}

function nameFaults(name: string | undefined, field: string): FieldFault[] {
  if (isMissing(name)) return [requiredValue(field)]
  if (name.split('.').length >= 3) return []
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')]
}

function clientFaults({ url, service }: ClientConfig, field: string): FieldFault[] {
  if ((url === undefined) === (service === undefined))
    return [requiredValue(field, 'exactly one of url or service is required')]
  if (service !== undefined) {
    const { namespace, name, path = '' }: Partial<ServiceReference> = service
    // The real server takes one for the other here, and clients read the field.
    return [
      ...(isMissing(namespace) ? [requiredValue(`${field}.service.name`)] : []),
      ...(isMissing(name) ? [requiredValue(`${field}.service.namespace`)] : []),
      ...pathFaults(path, `${field}.service.path`),
    ]
  }
  return urlFaults(url ?? '', `${field}.url`)
}

/** Of a Service, not of a URL: each part of it is a name. The rule for its length is left out. */
function pathFaults(path: string, field: string): FieldFault[] {
  if (path === '' || path === '/') return []
  const fault = (why: string) => invalidValue(field, path, why)
  if (path === '//') return [fault('segment[0] may not be empty')]
  return [
    ...(path.startsWith('/') ? [] : [fault("must start with a '/'")]),
    ...path
      .slice(1)
      .replace(/\/$/, '')
      .split('/')
      .flatMap((segment, at) => {
        if (segment === '') return [fault(`segment[${at}] may not be empty`)]
        return dnsSubdomain.test(segment) ? [] : [fault(`segment[${at}]: ${subdomainRule}`)]
      }),
  ]
}

function urlFaults(text: string, field: string): FieldFault[] {
  const form = '; desired format: https://host[/path]'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return [invalidValue(field, '', `host must be specified${form}`)]
  const scheme = url.protocol.replace(/:$/, '')
  return [
    ...(scheme === 'https' ? [] : [invalidValue(field, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(url.username === '' ? [] : [invalidValue(field, url.username, 'user information is not permitted in the URL')]),
    ...(url.hash === '' ? [] : [invalidValue(field, url.hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(url.search === ''
      ? []
      : [invalidValue(field, url.search.slice(1), 'query parameters are not permitted in the URL')]),
  ]
}

function versionFaults(versions: readonly string[], field: string): FieldFault[] {
  const known = reviewVersions.join(', ')
  if (versions.length === 0) return [requiredValue(field, `must specify one of ${known}`)]
  if (versions.some((version) => reviewVersions.includes(version))) return []
  return [invalidValue(field, versions, `must include at least one of ${known}`)]
}
