import { concealSecrets } from '../../admission/serving/path-secret.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import { probeWebhook, type ProbeOutcome } from './probe-webhook.ts'
import type { RegistrarRights, Registration } from './registration.ts'

export interface RegistrarOptions {
  readonly registration: Registration
  readonly kubes: {
    readonly plain: Kube
    /** Writes only while leading. */
    readonly fenced: Kube
    /** Lifeboat's own account, by which the probe is recognized. */
    readonly probe: Kube
  }
  readonly rights: RegistrarRights
  /** False with the gate off: then there is nothing to reach, only something to take out. */
  readonly isServing: boolean
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly namespace: string
  /** Why the API server does not reach the webhook, as of the last try. */
  readonly noteProblem: (why: string) => void
  /** Whether another replica leads, and so tells the API server of webhooks. */
  readonly isLedByAnother: () => boolean
  /** The API server was told of the webhook, or is not for us to tell; called at each try until it is reached. */
  readonly noteTold: () => void
}

const backoff: BackoffOptions = { initialMs: 100, maxMs: 500, jitter: 0.1 }
/** Some ten seconds: by then the leader has told the API server of the certificate. */
const attemptsBeforeWarning = 20
/** A user may have changed or removed it by hand. */
const lookEveryMs = 60_000

/** Sees to it that the API server knows our webhooks and policies, and that it reaches them. */
export class Registrar {
  readonly #options: RegistrarOptions
  readonly #jitter: RandomStream
  #woken = Promise.withResolvers<void>()
  #lastWarning = ''
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(options: RegistrarOptions) {
    this.#options = options
    this.#jitter = options.random.stream('manager/registrar')
  }

  /**
   * Until the API server reaches a webhook of Lifeboat's. If another process answers, it has the say for as long as it
   * leads; if none does, the one before us left without a word, and waiting for its Lease would keep all Evacuations
   * refused for as long. False: the signal aborted before.
   */
  async introduce(signal: AbortSignal): Promise<boolean> {
    for (let attempts = 1; !signal.aborted; attempts++) {
      try {
        const outcome = await this.#probe(signal)
        if (outcome.kind === 'reached') return true
        const { rights, kubes } = this.#options
        if (rights === 'createAndDelete') await this.#establish(kubes.plain, attempts === 1, signal)
        if (!this.#options.isServing) return true
        await this.#noteWhetherTold(signal)
        this.#note(outcome)
        if (attempts === attemptsBeforeWarning) this.#warnUnreached(outcome)
      } catch (error) {
        if (signal.aborted) return false
        this.#warn(error)
      }
      await this.#pause(backoffMs(attempts, backoff, this.#jitter), signal)
    }
    return false
  }

  /** While leading: what the API server knows is what we say, also after a renewal of certificates. Never rejects. */
  async keep(signal: AbortSignal): Promise<void> {
    let failures = 0
    let isFirst = true
    while (!signal.aborted) {
      const woken = this.#woken.promise
      try {
        await this.#establish(this.#options.kubes.fenced, isFirst, signal)
        failures = 0
        isFirst = false
      } catch (error) {
        if (signal.aborted) return
        failures++
        this.#warn(error)
      }
      const pauseMs = failures === 0 ? lookEveryMs : backoffMs(failures, backoff, this.#jitter)
      await Promise.race([woken, this.#pause(pauseMs, signal)])
    }
  }

  /** The certificates changed: those who keep should look now. */
  wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers<void>()
  }

  /** Best effort: what cannot be taken out now is taken over by the next start. */
  async withdraw(signal: AbortSignal): Promise<void> {
    const { registration, kubes, clock } = this.#options
    try {
      await unlessAborted(this.#underWay, signal)
      await registration.withdraw({ kube: kubes.plain, clock, signal })
    } catch (error) {
      this.#warn(error)
    }
  }

  #probe(signal: AbortSignal): Promise<ProbeOutcome> {
    return probeWebhook(this.#options.kubes.probe, this.#options.namespace, signal)
  }

  /**
   * One after the other. The signal ends the wait, not the work: a write that is cut off may arrive all the same, and
   * after what was meant to follow it. `all`: what is as it should be is written too, as a look could miss what an older
   * version left in it.
   */
  async #establish(kube: Kube, all: boolean, signal: AbortSignal): Promise<void> {
    const { registration, clock } = this.#options
    const established = this.#underWay.then(() => {
      signal.throwIfAborted()
      return registration.establish({ kube, clock }, { onlyWhereItDiffers: !all })
    })
    // The next call waits for its end, whatever that is.
    this.#underWay = established.catch(() => {})
    const missing = await unlessAborted(established, signal)
    if (missing.length > 0)
      this.#warn(new Error(`not installed: ${missing.join(', ')}; apply deploy/lifeboat.yaml first`))
    else this.#lastWarning = ''
  }

  async #noteWhetherTold(signal: AbortSignal): Promise<void> {
    const { registration, kubes, clock, noteTold, isLedByAnother } = this.#options
    // In an upgrade a leader of another release tells of its own webhooks, and ends when we are ready, not before.
    if (isLedByAnother() || (await registration.isTold({ kube: kubes.plain, clock, signal }))) noteTold()
  }

  #note(outcome: ProbeOutcome): void {
    if (outcome.kind === 'failed') this.#options.noteProblem(outcome.message)
    if (outcome.kind === 'notRegistered') this.#options.noteProblem('the API server does not know of it yet')
  }

  /** Behind a Service only this says it: the pod counts as ready all the same, and a firewall may stand between. */
  #warnUnreached(outcome: ProbeOutcome): void {
    const error = outcome.kind === 'failed' ? outcome.message : 'it does not know of it'
    this.#options.log.warn({ error }, 'the API server does not reach the webhook; trying again and again')
  }

  /** Once for each new trouble, not at each try. */
  #warn(error: unknown): void {
    // A refused configuration is quoted in the refusal, with the secret in its paths.
    const message = concealSecrets(error instanceof Error ? error.message : String(error))
    this.#options.noteProblem(message)
    if (message === this.#lastWarning) return
    this.#lastWarning = message
    this.#options.log.warn({ error: message }, 'cannot tell the API server of the webhooks')
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#options.clock, delayMs, signal).catch(() => {})
  }
}
