import type { FieldFault } from './failure.ts'

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const limits = { namePartBytesMax: 63, prefixBytesMax: 253, bytesMax: 256 * 1_024 }

const nameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** What the real server has against annotations, in its words. Values may be anything. */
export function annotationFaults(annotations: Readonly<Record<string, string>> = {}): FieldFault[] {
  const field = 'metadata.annotations'
  const keys = Object.keys(annotations)
  const faults = keys.flatMap((key) =>
    // Capitals in the prefix are let pass, so all are made small first.
    keyFaults(key.toLowerCase()).map((why) => ({
      field,
      kind: 'Invalid' as const,
      message: `Invalid value: ${JSON.stringify(key)}: ${why}`,
    })),
  )
  const bytes = keys.reduce((sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? ''), 0)
  if (bytes <= limits.bytesMax) return faults
  return [...faults, { field, kind: 'TooLong', message: `Too long: may not be more than ${limits.bytesMax} bytes` }]
}

function keyFaults(key: string): string[] {
  const parts = key.split('/')
  if (parts.length > 2) {
    return [`a qualified name ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  const name = key.slice(key.lastIndexOf('/') + 1)
  const prefix = parts.length === 2 ? parts[0] : undefined
  return [...(prefix === undefined ? [] : prefixFaults(prefix)), ...nameFaults(name)]
}

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  const tooLong = Buffer.byteLength(prefix) > limits.prefixBytesMax
  return [
    ...(tooLong ? [`prefix part must be no more than ${limits.prefixBytesMax} characters`] : []),
    ...(subdomain.test(prefix) ? [] : [`prefix part ${subdomainRule}`]),
  ]
}

function nameFaults(name: string): string[] {
  const tooLong = Buffer.byteLength(name) > limits.namePartBytesMax
  return [
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(tooLong ? [`name part must be no more than ${limits.namePartBytesMax} bytes`] : []),
    ...(namePart.test(name) ? [] : [`name part ${nameRule}`]),
  ]
}
