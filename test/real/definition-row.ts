/** An object that somebody sends, what they do to it next, and how the API server takes the last of it. */
export interface Row {
  /** Reads as a sentence after the kind: "of a pod without a name". */
  readonly name: string
  readonly create: RowObject
  /** Updates and status updates after the creation. All but the last must be accepted. */
  readonly steps?: readonly Step[]
  /** Absent: accepted. The field is as in the answer's causes, the message a telling part of it. */
  readonly refused?: { readonly field: string; readonly message: string }
  /** A part of what the last answer holds. */
  readonly reads?: object
  /** Refused by what the API server asks of all kinds, which our own validation leaves to it. */
  readonly ofAllKinds?: true
}

/** What to put in place of the spec and other fields, or in place of the status. */
export type Step = { readonly update: object } | { readonly status: object }

export interface RowObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: unknown
  readonly status?: unknown
}

export function titleOf({ name, refused }: Row): string {
  return refused ? `${name} is refused at ${refused.field}` : `${name} is accepted`
}

/** Plays a row through a validation of ours as the API server does, which drops the status on creation. */
export function playRow<Problem>(row: Row, validate: (object: object, before?: object) => Problem[]): Problem[] {
  let object: object = { ...row.create, status: undefined }
  let problems = validate(object)
  for (const step of row.steps ?? []) {
    if (problems.length > 0) throw new Error(`${row.name}: refused before its last step`)
    const before = object
    object = applyStep(object, step)
    problems = validate(object, before)
  }
  return problems
}

/** What a step makes of an object: the subresource is the only way to the status, and leads nowhere else. */
export function applyStep<Stored extends object>(object: Stored, step: Step): Stored {
  return 'status' in step ? { ...object, status: step.status } : merge(object, step.update)
}

/** Deep for objects; undefined takes a field away; anything else replaces. */
function merge<T>(target: T, change: unknown): T {
  if (!isPlain(target) || !isPlain(change)) return change as T
  const merged: Record<string, unknown> = { ...target }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete merged[key]
    else merged[key] = merge(merged[key], value)
  }
  return merged as T
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
