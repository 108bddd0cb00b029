import { KubeError } from '../client/errors.ts'

/** What became of an Event that could not simply be written. */
export type EventOutcome =
  /** A create whose reply was lost, or so it looks: the name is ours alone. */
  | 'exists'
  /** The Event expired, or its namespace is gone. */
  | 'gone'
  /** No loss: everything in that namespace goes. */
  | 'namespaceTerminating'
  /** The server is busy or out of reach: later may help. */
  | 'later'
  /** It will be refused again. */
  | 'refused'

export function eventOutcomeOf(error: unknown): EventOutcome {
  // Not an answer at all, such as credentials that cannot be had at the moment.
  if (!(error instanceof KubeError)) return 'later'
  switch (error.kind) {
    case 'alreadyExists':
      return 'exists'
    case 'notFound':
      return 'gone'
    case 'forbidden':
      return error.causes.some(({ reason }) => reason === 'NamespaceTerminating') ? 'namespaceTerminating' : 'refused'
    case 'unreachable':
    case 'serverError':
    case 'tooManyRequests':
    case 'unauthorized':
    case 'conflict':
      return 'later'
    case 'badRequest':
    case 'expired':
    case 'invalid':
    case 'unsupported':
      return 'refused'
    default:
      return error.kind satisfies never
  }
}
