import type { RandomStream } from '../../runtime/random.ts'

/** Kubernetes leaves vowels and look-alikes out, so that no word appears by chance. */
const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
/** The server cuts the base so that name and suffix fit into a label. */
const generatedNameLengthMax = 63

export function randomUid(random: RandomStream): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random.next() * 16).toString(16))
  hex[12] = '4'
  hex[16] = '89ab'[Math.floor(random.next() * 4)] ?? '8'
  const text = hex.join('')
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}

export function generatedName(base: string, random: RandomStream): string {
  const suffix = Array.from(
    { length: suffixLength },
    () => suffixLetters[Math.floor(random.next() * suffixLetters.length)],
  )
  return base.slice(0, generatedNameLengthMax - suffixLength) + suffix.join('')
}

/** Kubernetes has seconds, without fractions. */
export function timestamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19)}Z`
}

/** As in Go, where an empty name is none: clients leave a name out in either way. */
export function isMissing(name: string | undefined): name is undefined {
  return name === undefined || name === ''
}
