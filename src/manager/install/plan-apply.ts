import type { KubernetesObject, Manifest } from '../../api/kubernetes/meta.ts'

/**
 * What is there, with what we want put over it. Labels and annotations of others stay, and so do fields that we say
 * nothing about; of those that we do, every part is ours.
 */
export function mergeWanted(existing: KubernetesObject, wanted: Manifest): KubernetesObject {
  const { labels, annotations } = wanted.metadata
  return {
    ...existing,
    ...wanted,
    metadata: {
      ...existing.metadata,
      ...(labels === undefined ? {} : { labels: { ...existing.metadata.labels, ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...existing.metadata.annotations, ...annotations } }),
    },
  }
}

/** Whether all that is wanted is there, beside what the server or others filled in. */
export function isContained(wanted: unknown, existing: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(existing) || existing.length !== wanted.length) return false
    return wanted.every((item, index) => isContained(item, existing[index]))
  }
  if (typeof wanted !== 'object' || wanted === null) return wanted === existing
  if (typeof existing !== 'object' || existing === null) return false
  const there = existing as Readonly<Record<string, unknown>>
  return Object.entries(wanted).every(([key, value]) => value === undefined || isContained(value, there[key]))
}
