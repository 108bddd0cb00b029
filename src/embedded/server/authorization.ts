import { ApiFailure } from './failure.ts'
import type { User } from './request.ts'

/** What a user wants to do. */
export interface AccessAttributes {
  readonly user: User
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  /** Set for paths that are no resources, and then the rest is empty. */
  readonly path?: string
}

export interface Authorizer {
  authorize(attributes: AccessAttributes): { readonly allowed: boolean; readonly reason: string }
}

export const allowEverything: Authorizer = { authorize: () => ({ allowed: true, reason: '' }) }

/** The refusal in the words of the real server, which people and scripts know. */
export function accessDenied(attributes: AccessAttributes): ApiFailure {
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes
  if (path !== undefined) {
    return new ApiFailure(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${path}"`, {})
  }
  const full = subresource === undefined ? resource : `${resource}/${subresource}`
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`
  const subject = `${group === '' ? resource : `${resource}.${group}`}${name === undefined ? '' : ` "${name}"`}`
  const message = `${subject} is forbidden: User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}" ${where}`
  return new ApiFailure(403, 'Forbidden', message, {
    ...(name === undefined ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  })
}
