import type { Node } from '../kubernetes/core.ts'

/** A node on which nothing starts or ends: its kubelet does not report, or reports that it cannot. */
export interface NodeSilence {
  readonly node: string
  /** Of the condition Ready: Unknown where the kubelet does not report. */
  readonly nodeReady: 'False' | 'Unknown'
  /** A time as the API has it. */
  readonly since: string
}

/** Undefined: the node reports that it is ready, or has never reported anything. */
export function silenceOf({ metadata, status }: Node): NodeSilence | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'False' && ready?.status !== 'Unknown') return undefined
  const since = ready.lastTransitionTime ?? metadata.creationTimestamp ?? ''
  return { node: metadata.name, nodeReady: ready.status, since }
}
