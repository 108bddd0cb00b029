import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { annotations } from '../../api/names.ts'

/** What a released pod remembers of where it belonged. */
export interface ReleasedFrom {
  /** Of the label pod-template-hash. */
  readonly hash: string
  readonly replicaSet: string
  readonly deployment: { readonly name: string; readonly uid: string }
  /** When it was released, in wall-clock time: the oldest goes first. */
  readonly atMs: number
}

export function renderReleasedFrom({ hash, replicaSet, deployment, atMs }: ReleasedFrom): string {
  const { name, uid } = deployment
  return JSON.stringify({ hash, replicaSet, deployment: { name, uid }, at: new Date(atMs).toISOString() })
}

/** Undefined: it was not released, or a user changed the annotation so that it cannot be read. */
export function parseReleasedFrom(value: string | undefined): ReleasedFrom | undefined {
  const fields = objectOf(parseJson(value))
  const deployment = objectOf(fields['deployment'])
  const atMs = Date.parse(String(fields['at']))
  const texts = [fields['hash'], fields['replicaSet'], deployment['name'], deployment['uid']]
  if (!texts.every((text) => typeof text === 'string' && text !== '') || Number.isNaN(atMs)) return undefined
  const [hash, replicaSet, name, uid] = texts as [string, string, string, string]
  return { hash, replicaSet, deployment: { name, uid }, atMs }
}

export function releasedFromOf({ metadata }: KubernetesObject): ReleasedFrom | undefined {
  const text = metadata.annotations?.[annotations.releasedFrom]
  if (text === undefined) return undefined
  const known = parsed.get(metadata)
  if (known?.text === text) return known.from
  const from = parseReleasedFrom(text)
  parsed.set(metadata, { text, from })
  return from
}

/** Asked about every pod of a workload whenever one of them changes. */
const parsed = new WeakMap<object, { readonly text: string; readonly from: ReleasedFrom | undefined }>()

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
