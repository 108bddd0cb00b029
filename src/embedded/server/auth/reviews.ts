import type { Clock } from '../../../runtime/clock.ts'
import type { ApiServerParts } from '../api-server.ts'
import type { User } from '../request.ts'
import type { Store } from '../store.ts'
import { reviewAccess, reviewOwnAccess, reviewOwnRules } from './access-review.ts'
import { requestToken, reviewSelf, reviewToken } from './identity-review.ts'
import type { RoleBasedAuthorizer } from './role-based-authorizer.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'

export interface ReviewParts {
  readonly store: Pick<Store, 'get'>
  readonly clock: Clock
  readonly authorizer: RoleBasedAuthorizer
  readonly tokens: ServiceAccountTokens
  /** Whose token is this? */
  readonly readToken: (token: string, audience: string) => User | undefined
}

/** What is answered when it is created, instead of being kept. */
export function reviewsOf(parts: ReviewParts): NonNullable<ApiServerParts['reviews']> {
  const { store, clock, authorizer, tokens, readToken } = parts
  return new Map([
    ['subjectaccessreviews.authorization.k8s.io', (target) => reviewAccess(target, authorizer)],
    ['localsubjectaccessreviews.authorization.k8s.io', (target) => reviewAccess(target, authorizer)],
    ['selfsubjectaccessreviews.authorization.k8s.io', (target) => reviewOwnAccess(target, authorizer)],
    ['selfsubjectrulesreviews.authorization.k8s.io', (target) => reviewOwnRules(target, authorizer)],
    ['selfsubjectreviews.authentication.k8s.io', (target) => reviewSelf(target, clock)],
    ['tokenreviews.authentication.k8s.io', (target) => reviewToken(target, readToken)],
    ['serviceaccounts/token', (target) => requestToken(target, tokens, store)],
  ])
}
