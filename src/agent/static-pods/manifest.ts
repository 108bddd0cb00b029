import { parse } from 'yaml'

/**
 * The pod of a manifest, as `NAMESPACE/NAME` of the mirror that the kubelet shows for it; undefined if the kubelet would
 * not start a pod from it either. The mirror has the name of its node at the end, in lower case.
 */
export function mirrorOfManifest(text: string, node: string): string | undefined {
  const manifest = readDocument(text)
  if (!isRecord(manifest) || manifest['kind'] !== 'Pod' || !isRecord(manifest['metadata'])) return undefined
  const { name, namespace } = manifest['metadata']
  if (typeof name !== 'string' || name === '') return undefined
  return `${typeof namespace === 'string' && namespace !== '' ? namespace : 'default'}/${name}-${node.toLowerCase()}`
}

function readDocument(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
