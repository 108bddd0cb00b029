import { accessDenied, type Authorizer } from '../authorization.ts'
import { badRequest } from '../failure.ts'
import type { User } from '../request.ts'
import { everyone } from './authenticator.ts'

/** The user that a request acts as: `kubectl --as` names another one, and needs the right to impersonate it. */
export function impersonated(user: User, headers: Readonly<Record<string, string>>, authorizer: Authorizer): User {
  const name = headers['impersonate-user'] ?? ''
  const groups = (headers['impersonate-group'] ?? '').split(',').flatMap((group) => group.trim() || [])
  if (name === '') {
    if (groups.length > 0) throw badRequest('requested [groups] without impersonating a user')
    return user
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? []
  const attributes = { user, verb: 'impersonate', group: '', subresource: undefined, namespace: undefined }
  const wanted = [
    account === undefined
      ? { ...attributes, resource: 'users', name }
      : { ...attributes, resource: 'serviceaccounts', namespace, name: account },
    ...groups.map((group) => ({ ...attributes, resource: 'groups', name: group })),
  ]
  for (const one of wanted) if (!authorizer.authorize(one).allowed) throw accessDenied(one)
  const own = namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  const joined = groups.length > 0 ? groups : own
  return { name, groups: [...new Set([...joined, everyone.authenticated])] }
}
