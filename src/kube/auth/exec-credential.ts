import type { Clock } from '../../runtime/clock.ts'
import type { Credential, Credentials } from './credentials.ts'
import type { ExecConfig } from './exec-config.ts'
import { parseExecOutput } from './exec-output.ts'
import type { ExecOutput } from './exec-output.ts'
import { KubeconfigError, withoutBreaks } from './kubeconfig-error.ts'
import { SingleFlight } from '../single-flight.ts'
import type { ProcessResult, ProcessRunner } from './system-files.ts'

/** The cluster as a plugin is told of it when its config says provideClusterInfo. */
export interface ExecClusterInfo {
  readonly server: string
  readonly 'tls-server-name'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  /** PEM in base64. */
  readonly 'certificate-authority-data'?: string
  /** The cluster's extension `client.authentication.k8s.io/exec`, whatever it is. */
  readonly config?: unknown
}

export interface ExecCredentialsOptions {
  readonly config: ExecConfig
  readonly cluster: ExecClusterInfo
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly processes: ProcessRunner
  readonly clock: Clock
}

const limits = { runMs: 60_000, outputBytesMax: 1024 * 1024, stderrShownMax: 400 }
/** A credential is renewed this long before it expires, so that no request meets its end on the way. */
const expirySlackMs = 60_000
/** Many requests in flight may all come back with a 401; they must not start the plugin over and over. */
const runIntervalMinMs = 1_000

/** Credentials from a plugin (client.authentication.k8s.io): run when there is none, when it expires, after a 401. */
export function execCredentials(options: ExecCredentialsOptions): Credentials {
  return new ExecCredentials(options)
}

type Outcome = ExecOutput | { readonly error: unknown }

class ExecCredentials implements Credentials {
  readonly #options: ExecCredentialsOptions
  readonly #flight = new SingleFlight<Outcome>()
  #outcome: Outcome | undefined
  #endedAtMs = 0
  /** Wall-clock time, as the plugin's expirationTimestamp is. */
  #renewAtMs = Number.POSITIVE_INFINITY

  constructor(options: ExecCredentialsOptions) {
    this.#options = options
  }

  async current(signal?: AbortSignal): Promise<Credential> {
    signal?.throwIfAborted()
    const outcome = this.#kept() ?? (await this.#flight.run(() => this.#renew(), signal))
    if ('error' in outcome) throw outcome.error
    return outcome.credential
  }

  invalidate(): void {
    this.#renewAtMs = Number.NEGATIVE_INFINITY
  }

  #kept(): Outcome | undefined {
    const { clock } = this.#options
    if (this.#outcome === undefined) return undefined
    if (clock.monotonicMs() - this.#endedAtMs < runIntervalMinMs) return this.#outcome
    return 'error' in this.#outcome || clock.nowMs() >= this.#renewAtMs ? undefined : this.#outcome
  }

  async #renew(): Promise<Outcome> {
    const { clock, config } = this.#options
    const before = this.#outcome
    try {
      const output = keepIdentity(parseExecOutput(await this.#run(), config), before)
      // Set after the run: a 401 that came meanwhile was about the credential before this one.
      this.#renewAtMs = renewAtMs(output, clock.nowMs())
      this.#outcome = output
    } catch (error) {
      // Renewing starts before the end: until then, what we have is better than nothing, unless the server refused it.
      const refused = this.#renewAtMs === Number.NEGATIVE_INFINITY
      if (refused || !isStillGood(before, clock.nowMs())) this.#outcome = { error }
    }
    this.#endedAtMs = clock.monotonicMs()
    return this.#outcome ?? { error: new Error('a run ends with an outcome') }
  }

  async #run(): Promise<string> {
    const { config, processes, clock, environment } = this.#options
    const abort = new AbortController()
    const tooLong = new KubeconfigError(
      `${config.place} command "${config.command}" did not finish within ${limits.runMs / 1_000} s`,
    )
    using _timeout = clock.timer(limits.runMs, () => abort.abort(tooLong))
    const result = await processes.run({
      command: config.command,
      args: config.args,
      environment: { ...environment, ...config.environment, KUBERNETES_EXEC_INFO: this.#execInfo() },
      outputBytesMax: limits.outputBytesMax,
      signal: abort.signal,
    })
    if (result.kind === 'exited' && result.code === 0) return result.stdout
    throw new KubeconfigError(`${config.place} command "${config.command}" ${wordFailure(result, config)}`)
  }

  #execInfo(): string {
    const { config, cluster } = this.#options
    const spec = { ...(config.provideClusterInfo ? { cluster } : {}), interactive: false }
    return JSON.stringify({ apiVersion: config.apiVersion, kind: 'ExecCredential', spec })
  }
}

/** The transport reconnects when the certificate is another object; the same one twice must not make it do so. */
function keepIdentity(fresh: ExecOutput, before: Outcome | undefined): ExecOutput {
  const { certificate } = fresh.credential
  const known = before === undefined || 'error' in before ? undefined : before.credential.certificate
  if (certificate === undefined || known === undefined) return fresh
  if (certificate.certificate !== known.certificate || certificate.key !== known.key) return fresh
  return { ...fresh, credential: { ...fresh.credential, certificate: known } }
}

function isStillGood(before: Outcome | undefined, nowMs: number): boolean {
  if (before === undefined || 'error' in before) return false
  return before.expiresAtMs === undefined || nowMs < before.expiresAtMs
}

/** Without an expiry it is good until a 401. One shorter than the slack is used for half of its life. */
function renewAtMs(output: ExecOutput, nowMs: number): number {
  if (output.expiresAtMs === undefined) return Number.POSITIVE_INFINITY
  const leftMs = output.expiresAtMs - nowMs
  return leftMs > 2 * expirySlackMs ? output.expiresAtMs - expirySlackMs : nowMs + leftMs / 2
}

function wordFailure(result: ProcessResult, config: ExecConfig): string {
  switch (result.kind) {
    case 'notFound':
      return `not found; ${config.installHint === undefined ? 'install it or correct the PATH' : config.installHint}`
    case 'notStarted':
      return `could not be started (${result.problem})`
    case 'tooMuchOutput':
      return `wrote more than ${limits.outputBytesMax} bytes; it should print one ExecCredential`
    case 'killed':
      return `was ended by ${result.by}${tailOf(result.stderr)}`
    case 'exited':
      return `failed with exit code ${result.code}${tailOf(result.stderr)}`
    default:
      return result satisfies never
  }
}

/** The end of what the plugin complained about, where the reason usually is; without what looks like a secret. */
function tailOf(stderr: string): string {
  // Before the cut, or the rest of a secret whose beginning was cut off would pass for words.
  const line = withoutBreaks(
    stderr
      .replaceAll(/-----BEGIN [\s\S]*?(?:-----END [A-Z ]+-----|$)/gu, '[removed]')
      .replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/gu, '[removed]'),
  )
  if (line === '') return ''
  return `: ${line.length <= limits.stderrShownMax ? line : `…${line.slice(-limits.stderrShownMax)}`}`
}
