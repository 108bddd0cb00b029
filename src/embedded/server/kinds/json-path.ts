import { fieldOf, isObject } from '../patch/json.ts'

/** Reads all values at a path. */
export type PathReader = (object: unknown) => unknown[]

type Step = (value: unknown) => unknown[]

const field = /^\.((?:[^.[\]\\]|\\.)+)/
const quotedField = /^\[(?:'([^']*)'|"([^"]*)")\]/
const index = /^\[(-?[0-9]+)\]/
const everything = /^(?:\[\*\]|\.\*)/
const filter = /^\[\?\(\s*@((?:\.[^.[\]=!<>\s]+)+)\s*==\s*(?:'([^']*)'|"([^"]*)"|([^\s)]+))\s*\)\]/

/**
 * The part of kubectl's JSONPath that printer columns use: `.spec.x`, `.items[0]`, `.labels['a.b']`, `.list[*]`,
 * `.status.conditions[?(@.type=="Ready")].status`. Undefined: it is something else.
 */
export function compileJsonPath(path: string): PathReader | undefined {
  const steps: Step[] = []
  let rest = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`
  while (rest !== '') {
    const found = nextStep(rest)
    if (found === undefined) return undefined
    steps.push(found.step)
    rest = rest.slice(found.length)
  }
  return (object) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [object])
}

function nextStep(rest: string): { step: Step; length: number } | undefined {
  const all = everything.exec(rest)
  if (all !== null) return { step: childrenOf, length: all[0].length }
  const named = field.exec(rest)
  if (named !== null) return { step: toField((named[1] ?? '').replaceAll(/\\(.)/g, '$1')), length: named[0].length }
  const quoted = quotedField.exec(rest)
  if (quoted !== null) return { step: toField(quoted[1] ?? quoted[2] ?? ''), length: quoted[0].length }
  const numbered = index.exec(rest)
  if (numbered !== null) return { step: toItem(Number(numbered[1])), length: numbered[0].length }
  const matching = filter.exec(rest)
  if (matching === null) return undefined
  const [whole, path = '', single, double, bare] = matching
  const wanted = single ?? double ?? bare ?? ''
  const steps = path.slice(1).split('.').map(toField)
  const read = (item: unknown) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [item])
  const step = (value: unknown) => childrenOf(value).filter((item) => read(item).some((one) => String(one) === wanted))
  return { step, length: whole.length }
}

function toField(name: string): Step {
  return (value) => {
    const found = isObject(value) ? fieldOf(value, name) : undefined
    return found === undefined ? [] : [found]
  }
}

function toItem(at: number): Step {
  return (value) => {
    const found: unknown = Array.isArray(value) ? value.at(at) : undefined
    return found === undefined ? [] : [found]
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}
