import type { AccessAttributes, Authorizer } from '../authorization.ts'
import { ApiFailure, badRequest, shownName, type FieldFault } from '../failure.ts'
import { isMissing } from '../identity.ts'
import type { User } from '../request.ts'
import type { ResourceRequest } from '../verbs/context.ts'
import { parseBody } from '../verbs/write.ts'
import type { RoleBasedAuthorizer } from './role-based-authorizer.ts'
import type { Rule } from './rule.ts'

interface ReviewSpec {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

/** May a user do something? A question about any user, in the cluster or in one namespace. */
export function reviewAccess(target: ResourceRequest, authorizer: Authorizer): object {
  const review = parseBody(target.request.body, target.definition)
  const spec = (review['spec'] ?? {}) as ReviewSpec
  const { user = '', groups = [], resourceAttributes } = spec
  if (user === '' && groups.length === 0)
    throw invalidReview(fault('spec.user', '"": at least one of user or group must be specified'))
  if (target.namespace !== undefined && resourceAttributes?.namespace !== target.namespace) {
    const asked = shownName(resourceAttributes?.namespace)
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${asked} is not ${target.namespace}`)
  }
  return { ...review, status: statusOf(authorizer, attributesOf(spec, { name: user, groups })) }
}

/** May I do something? */
export function reviewOwnAccess(target: ResourceRequest, authorizer: Authorizer): object {
  const review = parseBody(target.request.body, target.definition)
  const attributes = attributesOf(review['spec'] ?? {}, target.request.user)
  return { ...review, status: statusOf(authorizer, attributes) }
}

/** What may I do in a namespace? */
export function reviewOwnRules(target: ResourceRequest, authorizer: RoleBasedAuthorizer): object {
  const review = parseBody(target.request.body, target.definition)
  const { namespace } = (review['spec'] ?? {}) as { namespace?: string }
  if (isMissing(namespace)) throw badRequest('no namespace on request')
  const rules = authorizer.rulesOf(target.request.user, namespace)
  return {
    ...review,
    status: {
      resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    },
  }
}

function resourceRule({ verbs, apiGroups = [], resources = [], resourceNames = [] }: Rule): object {
  return { verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) }
}

function statusOf(authorizer: Authorizer, attributes: AccessAttributes): object {
  const { allowed, reason } = authorizer.authorize(attributes)
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

/** What is empty stands for nothing, and for everything where a name is meant. */
function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: User): AccessAttributes {
  if ((resourceAttributes === undefined) === (nonResourceAttributes === undefined)) {
    const what = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalidReview(fault('spec', `null: ${what}`))
  }
  const nothing = { group: '', resource: '', subresource: undefined, namespace: undefined, name: undefined }
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {}
    return { ...nothing, user, verb, path }
  }
  const { verb = '', group = '', resource = '', subresource, namespace, name } = resourceAttributes
  const orNothing = (text: string | undefined) => (text === '' ? undefined : text)
  return {
    user,
    verb,
    group,
    resource,
    subresource: orNothing(subresource),
    namespace: orNothing(namespace),
    name: orNothing(name),
  }
}

function fault(field: string, message: string): FieldFault {
  return { field, kind: 'Invalid', message: `Invalid value: ${message}` }
}

/** The real server leaves the kind out of this one. */
function invalidReview({ field, message }: FieldFault): ApiFailure {
  const details = { group: 'authorization.k8s.io', causes: [{ reason: 'FieldValueInvalid', message, field }] }
  return new ApiFailure(422, 'Invalid', `.authorization.k8s.io "" is invalid: ${field}: ${message}`, details)
}
