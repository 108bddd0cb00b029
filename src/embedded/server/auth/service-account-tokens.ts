import { createHmac, timingSafeEqual } from 'node:crypto'
import type { NamespacedObject } from '../../../api/kubernetes/meta.ts'
import type { Clock } from '../../../runtime/clock.ts'
import type { Random } from '../../../runtime/random.ts'
import { randomUid } from '../identity.ts'
import type { User } from '../request.ts'
import type { Store } from '../store.ts'

/** The audience of a token for which none is named: this server. */
export const ownAudience = 'https://kubernetes.default.svc.cluster.local'

export interface TokenOrder {
  readonly account: NamespacedObject
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  /** The token is void once that object is gone. */
  readonly boundTo: BoundObject | undefined
}

export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node'
  readonly name: string
  readonly uid: string
}

interface Claims {
  readonly aud: readonly string[]
  readonly exp: number
  readonly nbf: number
  readonly iat: number
  readonly iss: string
  readonly jti: string
  readonly sub: string
  readonly 'kubernetes.io': {
    readonly namespace: string
    readonly serviceaccount: { readonly name: string; readonly uid: string }
    readonly bound?: BoundObject
  }
}

export interface TokenParts {
  readonly store: Pick<Store, 'get'>
  readonly clock: Clock
  readonly random: Random
  /** Any process that has it can make tokens. */
  readonly key: Uint8Array
}

const boundResources = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }
const header = encode({ alg: 'HS256', typ: 'JWT' })

/** Tokens of service accounts: signed by this server, for an audience, until a time, as long as the account is there. */
export class ServiceAccountTokens {
  readonly #parts: TokenParts

  constructor(parts: TokenParts) {
    this.#parts = parts
  }

  issue({ account, audiences, expirationSeconds, boundTo }: TokenOrder): { token: string; expiresMs: number } {
    const { name, namespace, uid } = account.metadata
    const now = Math.floor(this.#parts.clock.nowMs() / 1_000)
    const claims: Claims = {
      aud: audiences,
      exp: now + expirationSeconds,
      iat: now,
      iss: ownAudience,
      jti: randomUid(this.#parts.random.stream('embedded/tokens')),
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(boundTo === undefined ? {} : { bound: boundTo }),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    }
    const content = `${header}.${encode(claims)}`
    return { token: `${content}.${this.#sign(content)}`, expiresMs: claims.exp * 1_000 }
  }

  /** Undefined: not a token of this server, not for this audience, or not any more. */
  read(token: string, audience: string = ownAudience): User | undefined {
    const claims = this.#verified(token)
    if (claims === undefined || !claims.aud.includes(audience)) return undefined
    const nowSeconds = this.#parts.clock.nowMs() / 1_000
    if (nowSeconds >= claims.exp || nowSeconds < claims.nbf) return undefined
    const { namespace, serviceaccount, bound } = claims['kubernetes.io']
    const account = this.#parts.store.get('serviceaccounts', `${namespace}/${serviceaccount.name}`)
    if (account?.metadata.uid !== serviceaccount.uid) return undefined
    if (bound !== undefined && !this.#isThere(bound, namespace)) return undefined
    return {
      name: claims.sub,
      uid: serviceaccount.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`], ...extraOf(bound) },
    }
  }

  #isThere({ kind, name, uid }: BoundObject, namespace: string): boolean {
    const key = kind === 'Node' ? name : `${namespace}/${name}`
    return this.#parts.store.get(boundResources[kind], key)?.metadata.uid === uid
  }

  #verified(token: string): Claims | undefined {
    const [head, body, signature, ...rest] = token.split('.')
    if (head !== header || body === undefined || signature === undefined || rest.length > 0) return undefined
    const expected = Buffer.from(this.#sign(`${head}.${body}`))
    const given = Buffer.from(signature)
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims
  }

  #sign(content: string): string {
    return createHmac('sha256', this.#parts.key).update(content).digest('base64url')
  }
}

function extraOf(bound: BoundObject | undefined): Record<string, string[]> {
  if (bound?.kind !== 'Pod') return {}
  const prefix = 'authentication.kubernetes.io'
  return { [`${prefix}/pod-name`]: [bound.name], [`${prefix}/pod-uid`]: [bound.uid] }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
