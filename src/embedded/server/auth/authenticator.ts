import type { User } from '../request.ts'

/** What a connection and a request show of who sends it. */
export interface Credentials {
  /** The header, as it came. */
  readonly authorization: string | undefined
  readonly certificate: ClientCertificate | undefined
}

export interface ClientCertificate {
  readonly commonName: string | undefined
  readonly organizations: readonly string[]
  /** Signed by the authority that the listener trusts. */
  readonly isTrusted: boolean
}

export interface Authenticator {
  /** Undefined: credentials that are not valid, which is worse than none. */
  authenticate(credentials: Credentials): User | undefined
}

export const everyone = { authenticated: 'system:authenticated', unauthenticated: 'system:unauthenticated' }

export const anonymous: User = { name: 'system:anonymous', groups: [everyone.unauthenticated] }

/** Whose token is this? Undefined: the reader knows no user for it. */
export type TokenReader = (token: string) => User | undefined

/** First a certificate, then a token by each reader in turn; without either, the anonymous user. */
export function authenticatorOf(tokenReaders: readonly TokenReader[]): Authenticator {
  return {
    authenticate: ({ authorization, certificate }) => {
      if (certificate?.isTrusted === true && certificate.commonName !== undefined && certificate.commonName !== '') {
        return withGroup({ name: certificate.commonName, groups: certificate.organizations })
      }
      const token = /^bearer +(.+)$/i.exec(authorization?.trim() ?? '')?.[1]
      if (token === undefined) return certificate === undefined ? anonymous : undefined
      for (const read of tokenReaders) {
        const user = read(token.trim())
        if (user !== undefined) return withGroup(user)
      }
      return undefined
    },
  }
}

function withGroup(user: User): User {
  const groups = new Set([...user.groups, everyone.authenticated])
  return { ...user, groups: [...groups] }
}
