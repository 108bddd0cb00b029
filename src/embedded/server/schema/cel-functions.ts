import type { Environment } from '@marcbachmann/cel-js'
import { compilePattern } from './pattern.ts'

/** The library's own `matches` runs patterns that can hang the process, and cannot be replaced: calls of it are renamed to this. */
export const linearMatches = 'matchesInLinearTime'

type Comparable = bigint | number | string | boolean | Date

/** The functions that Kubernetes adds to CEL, as far as rules and policies here use them. */
export function registerKubernetesFunctions(environment: Environment): void {
  const synchronous = { async: false }
  const register = (signature: string, handler: (...values: never[]) => unknown) =>
    environment.registerFunction(signature, handler, synchronous)

  const matches = (text: string, pattern: string) => compilePattern(pattern).matches(text)
  register(`string.${linearMatches}(string): bool`, matches)
  register(`${linearMatches}(string, string): bool`, matches)
  register('string.find(string): string', (text: string, pattern: string) => compilePattern(pattern).find(text) ?? '')
  register('string.findAll(string): list<string>', (text: string, pattern: string) =>
    compilePattern(pattern).findAll(text, -1),
  )
  register('string.findAll(string, int): list<string>', (text: string, pattern: string, countMax: bigint) =>
    compilePattern(pattern).findAll(text, Number(countMax)),
  )
  register('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.split(from).join(to),
  )
  register('string.charAt(int): string', (text: string, index: bigint) => text.charAt(Number(index)))

  register('list.isSorted(): bool', (list: Comparable[]) =>
    list.every((item, at) => at === 0 || (list[at - 1] ?? item) <= item),
  )
  register('list.sum(): dyn', sum)
  register('list.min(): dyn', (list: Comparable[]) => extreme(list, 'min', (one, other) => one < other))
  register('list.max(): dyn', (list: Comparable[]) => extreme(list, 'max', (one, other) => one > other))
  register('list.indexOf(dyn): int', (list: unknown[], item: unknown) => BigInt(list.indexOf(item)))
  register('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) => BigInt(list.lastIndexOf(item)))
}

function sum(list: (bigint | number)[]): bigint | number {
  if (list.some((item) => typeof item === 'number'))
    return list.reduce<number>((total, item) => total + Number(item), 0)
  return list.reduce<bigint>((total, item) => total + BigInt(item), 0n)
}

function extreme(
  list: Comparable[],
  name: string,
  isBetter: (one: Comparable, other: Comparable) => boolean,
): Comparable {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first)
}
