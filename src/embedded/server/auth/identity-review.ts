import type { NamespacedObject } from '../../../api/kubernetes/meta.ts'
import type { Clock } from '../../../runtime/clock.ts'
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../failure.ts'
import { isMissing, timestamp } from '../identity.ts'
import type { User } from '../request.ts'
import { keyOf, readAs, type Store } from '../store.ts'
import { namesNamespacedObject, type ResourceRequest } from '../verbs/context.ts'
import { parseBody } from '../verbs/write.ts'
import { everyone } from './authenticator.ts'
import { ownAudience, type BoundObject, type ServiceAccountTokens } from './service-account-tokens.ts'

const expirationDefaultSeconds = 3_600
const expirationMinSeconds = 600
const expirationMaxSeconds = 2 ** 32

/** Who am I? `kubectl auth whoami`. */
export function reviewSelf(target: ResourceRequest, clock: Clock): object {
  const { metadata: _, ...review } = parseBody(target.request.body, target.definition)
  return {
    ...review,
    metadata: { creationTimestamp: timestamp(clock.nowMs()) },
    status: { userInfo: userInfo(target.request.user) },
  }
}

/** Whose token is this? Asked by servers that are shown one. */
export function reviewToken(
  target: ResourceRequest,
  read: (token: string, audience: string) => User | undefined,
): object {
  const review = parseBody(target.request.body, target.definition)
  const { token = '', audiences = [] } = (review['spec'] ?? {}) as { token?: string; audiences?: readonly string[] }
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const wanted = audiences.length === 0 ? [ownAudience] : audiences
  const good = wanted.filter((audience) => read(token, audience) !== undefined)
  const user = good[0] === undefined ? undefined : read(token, good[0])
  if (user === undefined) return { ...review, status: { user: {}, error: 'invalid bearer token' } }
  const groups = [...new Set([...user.groups, everyone.authenticated])]
  return { ...review, status: { authenticated: true, user: userInfo({ ...user, groups }), audiences: good } }
}

interface TokenSpec {
  readonly audiences?: readonly string[]
  readonly expirationSeconds?: number
  readonly boundObjectRef?: Partial<BoundObject> | null
}

/** POST …/serviceaccounts/NAME/token. */
export function requestToken(target: ResourceRequest, tokens: ServiceAccountTokens, store: Pick<Store, 'get'>): object {
  if (!namesNamespacedObject(target)) throw methodNotAllowed()
  const { namespace, name } = target
  const account = readAs<NamespacedObject | undefined>(store.get('serviceaccounts', keyOf(target)))
  if (account === undefined) throw notFound({ group: '', plural: 'serviceaccounts' }, name)
  const spec = tokenSpecOf(target.request.body)
  const audiences = (spec.audiences ?? []).length === 0 ? [ownAudience] : (spec.audiences ?? [])
  const expirationSeconds = spec.expirationSeconds ?? expirationDefaultSeconds
  checkExpiration(expirationSeconds)
  const boundTo = spec.boundObjectRef?.kind === undefined ? undefined : boundObject(spec.boundObjectRef, account, store)
  const { token, expiresMs } = tokens.issue({ account, audiences, expirationSeconds, boundTo })
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace },
    spec: { audiences, expirationSeconds, boundObjectRef: boundTo === undefined ? null : spec.boundObjectRef },
    status: { token, expirationTimestamp: timestamp(expiresMs) },
  }
}

function tokenSpecOf(body: unknown): TokenSpec {
  if (typeof body !== 'object' || body === null) throw badRequest('the object provided is not a TokenRequest')
  return ((body as { spec?: TokenSpec }).spec ?? {}) satisfies TokenSpec
}

function checkExpiration(seconds: number): void {
  const why =
    seconds < expirationMinSeconds
      ? 'may not specify a duration less than 10 minutes'
      : seconds > expirationMaxSeconds
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined
  if (why === undefined) return
  const message = `Invalid value: ${seconds}: ${why}`
  throw invalid('TokenRequest', 'authentication.k8s.io', '', [
    { field: 'spec.expirationSeconds', kind: 'Invalid', message },
  ])
}

const bindable = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }

function boundObject(
  reference: Partial<BoundObject>,
  { metadata: { namespace } }: NamespacedObject,
  store: Pick<Store, 'get'>,
): BoundObject {
  const { kind = 'Pod', name, uid } = reference
  if (!Object.hasOwn(bindable, kind)) throw badRequest(`cannot bind token to object of type ${kind}`)
  const resource = { group: '', plural: bindable[kind] }
  if (name === undefined) throw notFound(resource, name)
  const found = store.get(resource.plural, kind === 'Node' ? name : keyOf({ namespace, name }))
  if (found === undefined) throw notFound(resource, name)
  const actual = found.metadata.uid
  if (!isMissing(uid) && uid !== actual) {
    throw conflict(resource, name, `the UID in the bound object reference (${uid}) does not match the UID in record`)
  }
  return { kind, name, uid: actual }
}

function userInfo({ name, uid, groups, extra }: User): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  }
}
