import type { Clock } from '../../runtime/clock.ts'
import { fileProblem, KubeconfigError } from './kubeconfig-error.ts'
import { SingleFlight } from '../single-flight.ts'
import type { FileReader } from './system-files.ts'

/** Who we are to the API server. */
export interface Credentials {
  /** What to present now; cheap when nothing changed. A changed `certificate` object identity means: reconnect. */
  current(signal?: AbortSignal): Promise<Credential>
  /** The server answered 401: the next current() must not give the same again if it can help it. */
  invalidate(): void
}

export interface Credential {
  readonly token?: string
  readonly certificate?: ClientCertificate
}

/** Both as PEM. */
export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

/** It becomes a header's value: a blank, line break or control character in it could never be sent. */
export function isBearerToken(text: string): boolean {
  return /^[\u0021-\u007E]+$/u.test(text)
}

/** Never changes, so there is nothing better to offer after a 401. */
export function staticCredentials(credential: Credential): Credentials {
  return {
    current: async (signal) => {
      signal?.throwIfAborted()
      return credential
    },
    invalidate: () => {},
  }
}

export interface TokenFileOptions {
  readonly path: string
  readonly files: FileReader
  readonly clock: Clock
  /** Where the path was named, to begin an error with: `kubeconfig ~/x: user "dev"`. */
  readonly place: string
  /** Presented until the file could be read once. */
  readonly initialToken?: string
  /** Presented beside the token. */
  readonly certificate?: ClientCertificate
}

const rereadAfterMs = 60_000
/** A rotation caught in the middle is over soon: look again earlier than after a good read. */
const rereadAfterFailureMs = 5_000

/** A bearer token in a file that another process rotates, as the kubelet does for a service account. */
export function tokenFileCredentials(options: TokenFileOptions): Credentials {
  return new TokenFileCredentials(options)
}

class TokenFileCredentials implements Credentials {
  readonly #options: TokenFileOptions
  readonly #flight = new SingleFlight<Credential>()
  #last: Credential | undefined
  #readAgainAtMs = Number.NEGATIVE_INFINITY

  constructor(options: TokenFileOptions) {
    this.#options = options
    if (options.initialToken !== undefined) this.#last = this.#credential(options.initialToken)
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    signal?.throwIfAborted()
    if (this.#last !== undefined && this.#options.clock.monotonicMs() < this.#readAgainAtMs) return this.#last
    return await this.#flight.run(() => this.#read(), signal)
  }

  invalidate(): void {
    this.#readAgainAtMs = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<Credential> {
    const { path, files, clock, place } = this.#options
    // Set before the read, so that an invalidate() in the middle of it is not forgotten.
    this.#readAgainAtMs = clock.monotonicMs() + rereadAfterMs
    let problem = 'is empty'
    try {
      const token = (await files.readText(path)).trim()
      if (isWhole(token, this.#last?.token)) {
        if (token !== this.#last?.token) this.#last = this.#credential(token)
        return this.#last ?? this.#credential(token)
      }
      if (token !== '') problem = 'does not hold a bearer token'
    } catch (error) {
      problem = fileProblem(error)
    }
    if (this.#last === undefined) throw new KubeconfigError(`${place}: token file ${path} ${problem}`)
    this.#readAgainAtMs = Math.min(this.#readAgainAtMs, clock.monotonicMs() + rereadAfterFailureMs)
    return this.#last
  }

  #credential(token: string): Credential {
    const { certificate } = this.#options
    return certificate === undefined ? { token } : { token, certificate }
  }
}

/** False for what a reader sees in the middle of a rewrite: nothing, or a JSON Web Token that lacks its last parts. */
function isWhole(token: string, previous: string | undefined): boolean {
  if (!isBearerToken(token)) return false
  const wasWebToken = previous !== undefined && isWebToken(previous) && token.startsWith(webTokenStart)
  return !wasWebToken || isWebToken(token)
}

/** `{"` in base64: how every JSON Web Token begins. */
const webTokenStart = 'eyJ'

function isWebToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/u.test(token)
}
