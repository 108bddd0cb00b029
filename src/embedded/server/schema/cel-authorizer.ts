import type { Environment } from '@marcbachmann/cel-js'
import type { AccessAttributes, Authorizer } from '../authorization.ts'
import type { User } from '../request.ts'

// CEL's `authorizer`: an expression asks whether a user may do something. Upstream:
// https://github.com/kubernetes/apiserver/blob/v0.37.1/pkg/cel/library/authz.go

/** The variable whose type is not `dyn` but Authorizer. */
export const authorizerVariable = 'authorizer'
export const authorizerType = 'kubernetes.authorization.Authorizer'

/** The function that asks. The real server charges it far more than any other. */
export const checkFunction = 'check'

const types = {
  pathCheck: 'kubernetes.authorization.PathCheck',
  groupCheck: 'kubernetes.authorization.GroupCheck',
  resourceCheck: 'kubernetes.authorization.ResourceCheck',
  decision: 'kubernetes.authorization.Decision',
} as const

/** A resource as expressions name it: what is empty stands for nothing. */
export interface CheckedResource {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string | undefined
  readonly name: string | undefined
}

type Ask = (attributes: Omit<AccessAttributes, 'user'>) => DecisionValue

/** What `authorizer` stands for: the rights of one user, and what the request is about. */
export class AuthorizerValue {
  readonly authorizer: Authorizer
  readonly user: User
  readonly requestResource: ResourceCheckValue

  constructor(authorizer: Authorizer, user: User, requested: CheckedResource) {
    this.authorizer = authorizer
    this.user = user
    this.requestResource = new ResourceCheckValue(this.ask, requested)
  }

  readonly ask: Ask = (attributes) => {
    const { allowed, reason } = this.authorizer.authorize({ ...attributes, user: this.user })
    return new DecisionValue(allowed, reason)
  }

  as(user: User): AuthorizerValue {
    return new AuthorizerValue(this.authorizer, user, this.requestResource.resource)
  }
}

class PathCheckValue {
  readonly ask: Ask
  readonly path: string

  constructor(ask: Ask, path: string) {
    this.ask = ask
    this.path = path
  }
}

class GroupCheckValue {
  readonly ask: Ask
  readonly group: string

  constructor(ask: Ask, group: string) {
    this.ask = ask
    this.group = group
  }
}

class ResourceCheckValue {
  readonly ask: Ask
  readonly resource: CheckedResource

  constructor(ask: Ask, resource: CheckedResource) {
    this.ask = ask
    this.resource = resource
  }

  with(change: Partial<CheckedResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.ask, { ...this.resource, ...change })
  }
}

class DecisionValue {
  readonly allowed: boolean
  readonly reason: string

  constructor(allowed: boolean, reason: string) {
    this.allowed = allowed
    this.reason = reason
  }
}

/** Selectors in a check are not modelled: an expression that names one does not compile. */
export function registerAuthorizer(environment: Environment): void {
  registerTypes(environment)
  const register = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler, { async: false })

  register(`${authorizerType}.path(string): ${types.pathCheck}`, ({ ask }: AuthorizerValue, path: string) => {
    if (path.trim() === '') throw new Error('path must not be empty')
    return new PathCheckValue(ask, path)
  })
  register(
    `${authorizerType}.group(string): ${types.groupCheck}`,
    ({ ask }: AuthorizerValue, group: string) => new GroupCheckValue(ask, group),
  )
  register(
    `${authorizerType}.serviceAccount(string, string): ${authorizerType}`,
    (value: AuthorizerValue, namespace: string, name: string) => value.as(serviceAccount(namespace, name)),
  )
  register(
    `${types.groupCheck}.resource(string): ${types.resourceCheck}`,
    ({ ask, group }: GroupCheckValue, resource: string) => {
      if (resource.trim() === '') throw new Error('resource must not be empty')
      return new ResourceCheckValue(ask, { group, resource, subresource: '', namespace: undefined, name: undefined })
    },
  )
  for (const field of ['subresource', 'namespace', 'name'] as const) {
    register(
      `${types.resourceCheck}.${field}(string): ${types.resourceCheck}`,
      (check: ResourceCheckValue, value: string) => check.with({ [field]: value }),
    )
  }
  registerChecks(register)
}

function registerTypes(environment: Environment): void {
  environment.registerType(types.pathCheck, { ctor: PathCheckValue, fields: {} })
  environment.registerType(types.groupCheck, { ctor: GroupCheckValue, fields: {} })
  environment.registerType(types.resourceCheck, { ctor: ResourceCheckValue, fields: {} })
  environment.registerType(types.decision, { ctor: DecisionValue, fields: {} })
  environment.registerType(authorizerType, { ctor: AuthorizerValue, fields: { requestResource: types.resourceCheck } })
}

function registerChecks(register: (signature: string, handler: (...values: never[]) => unknown) => void): void {
  register(
    `${types.pathCheck}.${checkFunction}(string): ${types.decision}`,
    ({ ask, path }: PathCheckValue, verb: string) =>
      ask({ verb, path, group: '', resource: '', subresource: undefined, namespace: undefined, name: undefined }),
  )
  register(
    `${types.resourceCheck}.${checkFunction}(string): ${types.decision}`,
    ({ ask, resource }: ResourceCheckValue, verb: string) =>
      ask({
        verb,
        group: resource.group,
        resource: resource.resource,
        subresource: orNothing(resource.subresource),
        namespace: orNothing(resource.namespace),
        name: orNothing(resource.name),
      }),
  )
  register(`${types.decision}.allowed(): bool`, ({ allowed }: DecisionValue) => allowed)
  register(`${types.decision}.reason(): string`, ({ reason }: DecisionValue) => reason)
  // Rights come from memory here: asking for them never fails.
  register(`${types.decision}.errored(): bool`, () => false)
  register(`${types.decision}.error(): string`, () => '')
}

function orNothing(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelPattern = new RegExp(`^${label}$`)
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`)
const labelLengthMax = 63
const subdomainLengthMax = 253

/** As upstream makes one up: it is in no group but those of service accounts. */
function serviceAccount(namespace: string, name: string): User {
  if (name.length > subdomainLengthMax || !subdomainPattern.test(name)) throw new Error('Invalid service account name')
  if (namespace.length > labelLengthMax || !labelPattern.test(namespace))
    throw new Error('Invalid service account namespace')
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  }
}
