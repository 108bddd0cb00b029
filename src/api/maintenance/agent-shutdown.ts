import Type from 'typebox'
import { oneOf, text, type Described } from '../schema/schema.ts'

// What the agent of a node says of shutdowns of its machine, as a part of its report.

const limits = { idLengthMax: 64, actionLengthMax: 32, messageLengthMax: 512, problemsMax: 8 } as const

/**
 * Who ends the pods when the machine goes down. Prefer: Lifeboat, because the kubelet does nothing. Assist: the kubelet,
 * which has a lock of its own and does not wait. Unknown: logind does not answer.
 */
export const shutdownModes = ['Prefer', 'Assist', 'Unknown'] as const
export type ShutdownMode = (typeof shutdownModes)[number]

/** Scheduled: it was asked for, for a later time. Signalled: logind waits for those that have a lock, and for no longer than the budget. */
export const shutdownPhases = ['Scheduled', 'Signalled'] as const

/**
 * noLogind: logind does not answer on the system bus. noLock: a shutdown would not wait. shortBudget: logind grants
 * less than was asked for.
 */
export const shutdownProblemKinds = ['noLogind', 'noLock', 'shortBudget'] as const
export type ShutdownProblemKind = (typeof shutdownProblemKinds)[number]

export const shutdownReportSchema = Type.Object({
  mode: oneOf(shutdownModes, { description: 'Who ends the pods.' }),
  /** For how long logind lets a lock delay a shutdown. */
  budgetSeconds: Type.Integer({ minimum: 0 }),
  /** The shutdown that is on its way; not there: none is. */
  going: Type.Optional(
    Type.Object({
      /** Stays the same from the first word of it until it is over or cancelled, over restarts of the agent too. */
      id: text({ description: 'Of this shutdown.', maxLength: limits.idLengthMax }),
      phase: oneOf(shutdownPhases, { description: 'How far it is.' }),
      /** In the words of systemd, such as reboot or poweroff; empty where logind does not say it. */
      action: text({ description: 'What the machine does.', maxLength: limits.actionLengthMax }),
      /** Of one that is scheduled. */
      at: Type.Optional(text({ description: 'When it begins.', maxLength: 64 })),
    }),
  ),
  problems: Type.Array(
    Type.Object({
      kind: oneOf(shutdownProblemKinds, { description: 'What is wrong.' }),
      message: text({ description: 'For people.', maxLength: limits.messageLengthMax }),
    }),
    { maxItems: limits.problemsMax },
  ),
})

export type ShutdownReport = Described<typeof shutdownReportSchema>
export type GoingShutdown = NonNullable<ShutdownReport['going']>

/** Always the same text for the same content. */
export function renderShutdown({ mode, budgetSeconds, going, problems }: ShutdownReport): ShutdownReport {
  return {
    mode,
    budgetSeconds,
    ...(going === undefined ? {} : { going: renderGoing(going) }),
    problems: problems
      .toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
      .slice(0, limits.problemsMax)
      .map(({ kind, message }) => ({ kind, message: message.slice(0, limits.messageLengthMax).toWellFormed() })),
  }
}

function renderGoing({ id, phase, action, at }: GoingShutdown): GoingShutdown {
  return { id, phase, action: action.slice(0, limits.actionLengthMax), ...(at === undefined ? {} : { at }) }
}
