/** Kubernetes leaves vowels and look-alikes out of what it generates. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'

/** A short name for a pod template: the same for the same content, whatever the order of its fields. */
export function templateHash(template: unknown, collisions = 0): string {
  const text = canonical(template) + (collisions === 0 ? '' : `/${collisions}`)
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return Array.from(String(value >>> 0), (digit) => letters[digit.charCodeAt(0) % letters.length]).join('')
}

/** JSON with sorted fields. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
  return `{${fields.join(',')}}`
}
