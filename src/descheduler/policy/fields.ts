import { closestNames } from '../../api/closest-names.ts'
import type { Report } from './problem.ts'

export interface Range {
  readonly minimum?: number
  readonly maximum?: number
}

/** From zero on, as Go's `uint`. */
export const fromZero: Range = { minimum: 0 }
export const int32: Range = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

export interface Origin {
  /** Leads to the object, such as `args.namespaces`. Empty for the policy itself. */
  readonly path: string
  readonly report: Report
  /** What becomes of a field that is never asked for. */
  readonly unknownFields: 'problem' | 'warning'
}

/**
 * The fields of one object of a policy, read one by one. What is wrong is reported, and reads as left out. As in Go,
 * null, an empty text and an empty list are the same as a field that was left out.
 */
export class Fields {
  readonly #origin: Origin
  readonly #members: Readonly<Record<string, unknown>>
  readonly #known = new Set<string>()
  readonly #children: Fields[] = []

  constructor(value: unknown, origin: Origin) {
    this.#origin = origin
    this.#members = isObject(value) ? value : {}
    if (value === undefined || value === null || isObject(value)) return
    const field = origin.path === '' ? 'the policy' : origin.path
    origin.report.problem({ field, value, allowed: 'must be an object' })
  }

  /** Null counts as left out. */
  value(name: string): unknown {
    this.#known.add(name)
    return Object.hasOwn(this.#members, name) ? (this.#members[name] ?? undefined) : undefined
  }

  text(name: string): string | undefined {
    const value = this.value(name)
    if (value === undefined || value === '') return undefined
    if (typeof value === 'string') return value
    this.wrong(name, 'must be a string')
    return undefined
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name)
    if (value === undefined || typeof value === 'boolean') return value
    this.wrong(name, 'must be true or false')
    return undefined
  }

  integer(name: string, range: Range = {}): number | undefined {
    const value = this.value(name)
    if (value === undefined || isWithin(value, range)) return value
    this.wrong(name, mustBeWithin(range))
    return undefined
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.value(name)
    if (value === undefined || value === '' || isOneOf(value, choices)) return value === '' ? undefined : value
    this.wrong(name, mustBeOneOf(choices))
    return undefined
  }

  texts(name: string): readonly string[] | undefined {
    return this.#list(name, (item): item is string => typeof item === 'string', 'must be a string')
  }

  choices<Choice extends string>(name: string, choices: readonly Choice[]): readonly Choice[] | undefined {
    return this.#list(name, (item): item is Choice => isOneOf(item, choices), mustBeOneOf(choices))
  }

  integers(name: string, range: Range): readonly number[] | undefined {
    return this.#list(name, (item): item is number => isWithin(item, range), mustBeWithin(range))
  }

  object(name: string): Fields | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : this.#child(value, this.pathOf(name))
  }

  /** An object whose unknown fields are problems, whatever they are around it. */
  strictObject(name: string): Fields | undefined {
    const value = this.value(name)
    return value === undefined ? undefined : this.#child(value, this.pathOf(name), 'problem')
  }

  objects(name: string): readonly Fields[] {
    return this.#items(name).map((item, index) => this.#child(item, `${this.pathOf(name)}[${index}]`))
  }

  /** The entries of a map, whose keys are data and not fields. Undefined if it is none. */
  map(name: string): ReadonlyMap<string, unknown> | undefined {
    const value = this.value(name) ?? {}
    if (isObject(value)) return new Map(Object.entries(value))
    this.wrong(name, 'must be an object')
    return undefined
  }

  /** `plugins.deschedule`, `args.thresholds["example.com/gpu"]`. */
  pathOf(...names: readonly string[]): string {
    return names.reduce((path, name) => {
      if (!/^\w+$/u.test(name)) return `${path}[${JSON.stringify(name)}]`
      return path === '' ? name : `${path}.${name}`
    }, this.#origin.path)
  }

  wrong(name: string, allowed: string): void {
    this.problem(this.pathOf(name), this.value(name), allowed)
  }

  /** Reports a field that was left out. */
  require(name: string, allowed: string): void {
    const value = this.value(name)
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) this.wrong(name, allowed)
  }

  /** For what is not about one field as a whole. */
  problem(field: string, value: unknown, allowed: string): void {
    this.#origin.report.problem({ field, value, allowed })
  }

  /** About the object itself. */
  wrongAsWhole(allowed: string): void {
    const isEmpty = Object.keys(this.#members).length === 0
    this.problem(this.#origin.path, isEmpty ? undefined : this.#members, allowed)
  }

  warn(name: string, text: string): void {
    this.#origin.report.warning(`${this.pathOf(name)} ${text}`)
  }

  /** The same object as the root of its own paths, with its own report. */
  rootedAt(origin: Origin): Fields {
    const rooted = new Fields(this.#members, origin)
    this.#children.push(rooted)
    for (const name of Object.keys(this.#members)) this.#known.add(name)
    return rooted
  }

  /** Call it last: all that was not asked for until now is unknown, but what is to be passed over. */
  reportUnknown(passedOver: readonly string[] = []): void {
    const { unknownFields, report } = this.#origin
    const known = [...this.#known]
    const unknown = Object.keys(this.#members).filter((name) => !known.includes(name) && !passedOver.includes(name))
    for (const name of unknown) {
      if (unknownFields === 'warning') {
        report.warning(`${this.pathOf(name)} has no effect: there is no such field${suggest(name, known)}`)
      } else {
        const allowed = `there is no such field${suggest(name, known, { orElse: known })}`
        this.problem(this.pathOf(name), this.#members[name], allowed)
      }
    }
    for (const child of this.#children) child.reportUnknown()
  }

  #child(value: unknown, path: string, unknownFields = this.#origin.unknownFields): Fields {
    const child = new Fields(value, { ...this.#origin, path, unknownFields })
    this.#children.push(child)
    return child
  }

  #items(name: string): readonly unknown[] {
    const value = this.value(name)
    if (value === undefined) return []
    if (Array.isArray(value)) return value
    this.wrong(name, 'must be a list')
    return []
  }

  #list<Item>(name: string, accepts: (item: unknown) => item is Item, allowed: string): readonly Item[] | undefined {
    const items = this.#items(name)
    for (const [index, item] of items.entries()) {
      if (!accepts(item)) this.problem(`${this.pathOf(name)}[${index}]`, item, allowed)
    }
    const accepted = items.filter(accepts)
    return accepted.length === 0 ? undefined : accepted
  }
}

/** `; did you mean NAME?`, or others to choose from if no name is close. */
export function suggest(
  wanted: string,
  names: readonly string[],
  { orElse = [] }: { orElse?: readonly string[] } = {},
): string {
  const [closest] = wanted === '' ? [] : closestNames(wanted, names)
  if (closest !== undefined) return `; did you mean ${closest}?`
  return orElse.length === 0 ? '' : `; there are ${orElse.toSorted().join(', ')}`
}

export function mustBeOneOf(choices: readonly string[]): string {
  return choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(', ')}`
}

export function mustBeWithin({ minimum, maximum }: Range): string {
  if (minimum !== undefined && maximum !== undefined) return `must be a whole number from ${minimum} to ${maximum}`
  if (maximum !== undefined) return `must be a whole number of at most ${maximum}`
  return `must be a whole number${minimum === undefined ? '' : ` of at least ${minimum}`}`
}

function isWithin(value: unknown, range: Range): value is number {
  const { minimum = -Infinity, maximum = Infinity } = range
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum
}

function isOneOf<Choice extends string>(value: unknown, choices: readonly Choice[]): value is Choice {
  return choices.some((choice) => choice === value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
