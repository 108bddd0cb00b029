import { randomBytes, timingSafeEqual } from 'node:crypto'
import { assert } from '../../runtime/assert.ts'

// Every pod of a cluster can connect to the webhook port and send a review that looks like one of the API server. The
// API server cannot be told from a pod by its address, so it is told by what it knows: each webhook path has a secret
// component, which is in the webhook configurations and in the Secret of the serving certificate, and nowhere else.

/** One secret component of webhook paths. */
export interface PathSecret {
  /** 32 random bytes in hexadecimal: the API server allows a Service no path with capitals or underscores. */
  readonly secret: string
  readonly madeMs: number
}

/** Newest first. */
export type PathSecrets = readonly PathSecret[]

const hourMs = 60 * 60 * 1_000

export const pathSecretLimits = {
  bytes: 32,
  /** A new one is used this long after it was stored: by then every replica has read it and lets it in. */
  knownMs: hourMs,
  /** A former one is let in for this long after its successor is used: configurations and API servers learn late. */
  formerMs: 24 * hourMs,
  keptMax: 4,
}

/** Before the secret, so that one is recognized wherever it turns up, as in an error message of the API server. */
const prefix = '/reviews/'
const secretLength = 2 * pathSecretLimits.bytes
const secretInText = /\/reviews\/[0-9a-f]{64}/g

/** Adds one, unless the newest is so young that it is not used yet. Drops those that are not let in any more. */
export function withNewSecret(secrets: PathSecrets, nowMs: number): PathSecrets {
  const [newest] = secrets
  if (newest !== undefined && nowMs < newest.madeMs + pathSecretLimits.knownMs) return secrets
  const secret = randomBytes(pathSecretLimits.bytes).toString('hex')
  return [{ secret, madeMs: nowMs }, ...accepted(secrets, nowMs)].slice(0, pathSecretLimits.keptMax)
}

/** The one that webhook configurations should have: the newest that every replica knows. */
export function secretInUse(secrets: PathSecrets, nowMs: number): string {
  const known = secrets.find(({ madeMs }) => nowMs >= madeMs + pathSecretLimits.knownMs) ?? secrets.at(-1)
  assert(known !== undefined, 'there is a path secret')
  return known.secret
}

/** All that a listener lets in: the one in use, one that will be, and former ones for a while. */
export function acceptedSecrets(secrets: PathSecrets, nowMs: number): readonly string[] {
  return accepted(secrets, nowMs).map(({ secret }) => secret)
}

function accepted(secrets: PathSecrets, nowMs: number): PathSecrets {
  const { knownMs, formerMs } = pathSecretLimits
  return secrets.filter((_secret, index) => {
    const successor = secrets[index - 1]
    return successor === undefined || nowMs < successor.madeMs + knownMs + formerMs
  })
}

/** One line each: the time that it was made, and the secret. */
export function renderPathSecrets(secrets: PathSecrets): string {
  return secrets.map(({ secret, madeMs }) => `${new Date(madeMs).toISOString()} ${secret}\n`).join('')
}

/** Lines that are no secret are left out: they were edited. */
export function parsePathSecrets(text: string): PathSecrets {
  return text.split('\n').flatMap((line) => {
    const [, time = '', secret = ''] = /^(\S+) ([0-9a-f]{64})$/.exec(line) ?? []
    const madeMs = Date.parse(time)
    return Number.isNaN(madeMs) ? [] : [{ secret, madeMs }]
  })
}

/** `/reviews/SECRET/evacuations/mutate` */
export function buildSecretPath(secret: string, path: string): string {
  return `${prefix}${secret}${path}`
}

/** The plain path of a webhook, if the secret in what was sent is one of these. */
export function matchSecretPath(sent: string, secrets: readonly string[]): string | undefined {
  if (!sent.startsWith(prefix)) return undefined
  const end = prefix.length + secretLength
  const given = Buffer.from(sent.slice(prefix.length, end))
  // Each is compared, and each in the same time, so that the answer comes as late for a near miss as for any other.
  const matches = secrets.map((secret) => {
    const wanted = Buffer.from(secret)
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
  return matches.includes(true) ? sent.slice(end) : undefined
}

/** For whatever is shown or logged: the API server puts the whole URL of a webhook into its error messages. */
export function concealSecrets(text: string): string {
  return text.replaceAll(secretInText, `${prefix}…`)
}
