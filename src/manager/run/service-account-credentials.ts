import { serviceAccounts } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { Credential, Credentials } from '../../kube/auth/credentials.ts'
import { SingleFlight } from '../../kube/single-flight.ts'
import type { Clock } from '../../runtime/clock.ts'

export interface ServiceAccountCredentialsOptions {
  /** As a user who may create tokens for the account. */
  readonly kube: Kube
  readonly clock: Clock
  readonly namespace: string
  readonly name: string
}

interface TokenRequest {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string }
}

const expirationSeconds = 3_600
/** Renewed when a fifth of its time is left: some twelve minutes for whatever is in the way. */
const renewAtShare = 0.8

/** Acts as a service account, by tokens that last an hour and are renewed in time. */
export function serviceAccountCredentials(options: ServiceAccountCredentialsOptions): Credentials {
  return new ServiceAccountCredentials(options)
}

class ServiceAccountCredentials implements Credentials {
  readonly #options: ServiceAccountCredentialsOptions
  readonly #flight = new SingleFlight<Credential>()
  #last: { readonly credential: Credential; readonly expiresAtMs: number } | undefined
  #renewAtMs = Number.NEGATIVE_INFINITY

  constructor(options: ServiceAccountCredentialsOptions) {
    this.#options = options
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    signal?.throwIfAborted()
    if (this.#last !== undefined && this.#options.clock.nowMs() < this.#renewAtMs) return this.#last.credential
    return this.#flight.run(() => this.#request(), signal)
  }

  invalidate(): void {
    this.#renewAtMs = Number.NEGATIVE_INFINITY
    this.#last = undefined
  }

  async #request(): Promise<Credential> {
    const { kube, clock, namespace, name } = this.#options
    const nowMs = clock.nowMs()
    const about = { key: { namespace, name }, subresource: 'token' }
    const order = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds },
    }
    try {
      const { status } = await kube.ask<TokenRequest>(serviceAccounts, order, { about })
      const { token = '', expirationTimestamp = '' } = status ?? {}
      const expiresAtMs = Date.parse(expirationTimestamp)
      const credential = { token }
      this.#last = { credential, expiresAtMs }
      this.#renewAtMs = nowMs + (expiresAtMs - nowMs) * renewAtShare
      return credential
    } catch (error) {
      // The one we have is good for a while yet; the next request tries again.
      if (this.#last !== undefined && clock.nowMs() < this.#last.expiresAtMs) return this.#last.credential
      throw error
    }
  }
}
