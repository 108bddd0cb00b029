const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

/** Fields whose values no two clusters share, and nobody should depend on. */
const dropped: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'creationTimestamp',
  'uid',
  'selfLink',
])

/** What two clusters said, without what can only differ: names of namespaces, UIDs, times, ports, versions. */
export function normalize(value: unknown, namespace: string): unknown {
  if (typeof value === 'string') {
    // What follows on further lines is a printout of Go structures.
    const [line = ''] = value.split('\n')
    return (
      line
        .replaceAll(namespace, 'NS')
        .replace(uid, 'UID')
        .replace(time, 'TIME')
        .replace(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:PORT')
        .replace(/\(\d+\)/g, '(N)')
        // What generateName adds.
        .replace(/(?<=UID)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-XXXXX')
    )
  }
  if (Array.isArray(value)) return value.map((item) => normalize(item, namespace))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key, item]) => !dropped.has(key) && item !== undefined)
    .map(([key, item]) => [key.replaceAll(namespace, 'NS'), normalize(item, namespace)] as const)
  return Object.fromEntries(entries)
}
