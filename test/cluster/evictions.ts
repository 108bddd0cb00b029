import { readFile } from 'node:fs/promises'
import { filesIn } from './components.ts'

interface AuditEvent {
  readonly objectRef: { readonly namespace: string }
}

/** How many evictions were asked for in a namespace, by whomever, as the API server itself noted them. */
export async function countEvictions(folder: string, namespace: string): Promise<number> {
  const lines = (await readFile(filesIn(folder).evictions, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return lines.filter((line) => (JSON.parse(line) as AuditEvent).objectRef.namespace === namespace).length
}
