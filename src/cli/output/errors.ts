import { KubeError } from '../../kube/client/errors.ts'
import { KubeconfigError, oneLine } from '../../kube/auth/kubeconfig-error.ts'
import { TransportError } from '../../kube/client/transport.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { UnfitServerError } from '../../manager/install/server-version.ts'

/** How a command ends, for scripts. The help of the program and docs/cli.md have the same words. */
export const exitCodes = { done: 0, failed: 1, usage: 2, timeout: 3, interrupted: 130 } as const

export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed; two lines on stderr say what is wrong and what to do'],
  [exitCodes.usage, 'wrong usage: a flag, a name that fits several things, a plan file'],
  [exitCodes.timeout, 'the time of --timeout is up; what was begun continues in the cluster'],
  [exitCodes.interrupted, 'interrupted; what was begun continues in the cluster'],
]

/** What a person is told when a command fails: what is wrong, and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly advice: string
  readonly exitCode: number

  constructor(message: string, options: { advice: string; exitCode?: number; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.advice = options.advice
    this.exitCode = options.exitCode ?? exitCodes.failed
  }
}

/** Ctrl-C, or another request to end. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'

  constructor() {
    super('interrupted')
  }
}

export function explainFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error
  const { message, advice, exitCode } = explain(error)
  return new CommandError(oneLine(message), { advice, cause: error, ...(exitCode === undefined ? {} : { exitCode }) })
}

interface Explanation {
  readonly message: string
  readonly advice: string
  readonly exitCode?: number
}

const advices = {
  reach: 'Is the cluster up, and is it the right one? `kubectl cluster-info` asks the same server.',
  access: 'Name the right file with --kubeconfig or KUBECONFIG, and the right context with --context.',
  credentials: 'Log in again, or choose another context with --context.',
  installation: 'Fix this, then run the command again.',
  again: 'Run the command again; with --verbose it tells more.',
} as const

const unfitAdvices: Readonly<Record<UnfitServerError['why'], string>> = {
  tooOld: 'Upgrade the cluster, or choose another one with --context.',
  unauthorized: advices.credentials,
  silent: 'Is it a Kubernetes? `kubectl version` asks the same.',
  failing: 'Is the cluster well? `kubectl version` asks the same.',
}

function explain(error: unknown): Explanation {
  if (error instanceof InterruptedError) {
    return { message: 'interrupted', advice: 'Nothing was left half done.', exitCode: exitCodes.interrupted }
  }
  if (error instanceof KubeError) return explainAnswer(error)
  if (error instanceof KubeconfigError) return { message: error.message, advice: advices.access }
  if (error instanceof TransportError) return { message: error.message, advice: advices.reach }
  if (error instanceof UnfitServerError) return { message: error.message, advice: unfitAdvices[error.why] }
  if (error instanceof InstallationError) {
    const advice = error.cause instanceof TransportError ? advices.reach : advices.installation
    return { message: error.message, advice }
  }
  return { message: error instanceof Error ? error.message : String(error), advice: advices.again }
}

export const notInstalled: Explanation = {
  message: 'Lifeboat is not installed on this cluster',
  advice: 'Install it with `lifeboat install`, or run it from here with `lifeboat run`.',
}

function explainAnswer(error: KubeError): Explanation {
  switch (error.kind) {
    case 'forbidden':
      return explainForbidden(error.message)
    case 'unauthorized':
      return {
        message: `the API server does not accept your credentials: ${error.message}`,
        advice: advices.credentials,
      }
    case 'unreachable':
      return { message: error.message, advice: advices.reach }
    case 'notFound':
      return isMissingKind(error) ? notInstalled : { message: error.message, advice: 'It may have gone meanwhile.' }
    case 'invalid':
    case 'badRequest':
      return {
        message: `the API server refuses it: ${faultsOf(error)}`,
        advice: 'Change what it names, then try again.',
      }
    case 'conflict':
    case 'alreadyExists':
      return { message: error.message, advice: 'Another client changed it at the same time: run the command again.' }
    case 'expired':
    case 'tooManyRequests':
    case 'unsupported':
    case 'serverError':
      return { message: `the API server failed: ${error.message}`, advice: advices.again }
  }
}

/**
 * A path that the server does not serve is answered with a text and no Status; Lifeboat's kinds are the only ones that
 * may be missing.
 */
function isMissingKind(error: KubeError): boolean {
  return error.reason === '' || error.message === 'the server could not find the requested resource'
}

/** Field, value and what is allowed, as the server says it. */
function faultsOf(error: KubeError): string {
  if (error.causes.length === 0) return error.message
  const faults = error.causes.map(({ field, message = '' }) =>
    field === undefined || field === '' || message.includes(field) ? message : `${field}: ${message}`,
  )
  return faults.join('; ')
}

const missingRight =
  /User "(?<user>[^"]*)" cannot (?<verb>\w+) resource "(?<resource>[^"]*)" in API group "(?<group>[^"]*)"(?: in the namespace "(?<namespace>[^"]*)")?/u

/** The right is named so that it can be copied into a role. Other refusals, of webhooks and policies say, stand as they are. */
function explainForbidden(message: string): Explanation {
  const right = missingRight.exec(message)?.groups
  if (right === undefined) {
    const denied = /denied (?:the )?request: (.*)$/su.exec(message)?.[1]
    return {
      message: denied === undefined ? `the API server forbids it: ${message}` : `refused by the cluster: ${denied}`,
      advice: 'Ask who looks after the cluster for that right, or choose another context with --context.',
    }
  }
  const { user, verb, resource, group, namespace } = right
  const kind = group === '' ? resource : `${resource}.${group}`
  const place = namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`
  const flag = namespace === undefined ? '--all-namespaces' : `-n ${namespace}`
  return {
    message: `you (${user}) may not ${verb} ${kind} ${place}`,
    advice: `Ask for a role with verb ${verb} on ${kind}; \`kubectl auth can-i ${verb} ${kind} ${flag}\` checks it.`,
  }
}
