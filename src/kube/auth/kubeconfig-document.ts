import { dirname } from 'node:path'

import { LineCounter, parseDocument } from 'yaml'

import type { KubeconfigEntry, KubeconfigFields } from './kubeconfig-entry.ts'
import { isFields, textField } from './kubeconfig-entry.ts'
import { KubeconfigError, listNames } from './kubeconfig-error.ts'

/** One kubeconfig file, or several merged. */
export interface KubeconfigDocument {
  /** To begin an error with: `kubeconfig ~/.kube/config`. */
  readonly place: string
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>
  readonly users: ReadonlyMap<string, KubeconfigEntry>
}

export interface ChosenContext {
  readonly namespace: string
  readonly cluster: KubeconfigEntry
  /** A context without a user is anonymous. */
  readonly user: KubeconfigEntry | undefined
}

/** `path` is absolute; `shown` is how messages spell it. Undefined: the file says nothing at all. */
export function parseKubeconfig(text: string, file: { path: string; shown: string }): KubeconfigDocument | undefined {
  const place = `kubeconfig ${file.shown}`
  const content = parseYaml(text, place)
  if (content === undefined || content === null) return undefined
  if (!isFields(content)) throw new KubeconfigError(`${place}: not a kubeconfig (the top level must be a mapping)`)
  const top: KubeconfigEntry = { place, folder: dirname(file.path), fields: content }
  checkKind(top)
  return {
    place,
    currentContext: textField(top, 'current-context'),
    clusters: parseEntries(top, 'clusters', 'cluster'),
    contexts: parseEntries(top, 'contexts', 'context'),
    users: parseEntries(top, 'users', 'user'),
  }
}

/** As kubectl merges: the first file that sets a value wins, and an entry is taken whole or not at all. */
export function mergeKubeconfigs(documents: readonly KubeconfigDocument[]): KubeconfigDocument {
  const places = documents.map((document) => document.place.replace(/^kubeconfig /u, ''))
  return {
    place: `kubeconfig ${places.join(':')}`,
    currentContext: documents.find((document) => document.currentContext !== undefined)?.currentContext,
    clusters: firstWins(documents.map((document) => document.clusters)),
    contexts: firstWins(documents.map((document) => document.contexts)),
    users: firstWins(documents.map((document) => document.users)),
  }
}

export function chooseContext(document: KubeconfigDocument, wanted: string | undefined): ChosenContext {
  const name = wanted ?? document.currentContext
  const known = `there are: ${listNames(document.contexts.keys())} (choose with --context)`
  if (name === undefined) throw new KubeconfigError(`${document.place}: no current-context is set; ${known}`)
  const context = document.contexts.get(name)
  if (context === undefined) throw new KubeconfigError(`${document.place}: context "${name}" not found; ${known}`)
  const clusterName = textField(context, 'cluster')
  if (clusterName === undefined) throw new KubeconfigError(`${context.place}: names no cluster`)
  const userName = textField(context, 'user')
  return {
    namespace: namespaceOf(context),
    cluster: referenced(context, document.clusters, { kind: 'cluster', name: clusterName }),
    user: userName === undefined ? undefined : referenced(context, document.users, { kind: 'user', name: userName }),
  }
}

function parseYaml(text: string, place: string): unknown {
  const lines = new LineCounter()
  // The library's messages quote the source, and so perhaps a token: only the code and the position leave this function.
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  const [error] = parsed.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    const problem = error.code.toLowerCase().replaceAll('_', ' ')
    throw new KubeconfigError(`${place}: not valid YAML at line ${line}, column ${col} (${problem})`)
  }
  try {
    return parsed.toJS() as unknown
  } catch {
    throw new KubeconfigError(`${place}: not valid YAML (an alias without its anchor, or too many of them)`)
  }
}

function checkKind(top: KubeconfigEntry): void {
  const kind = textField(top, 'kind') ?? 'Config'
  const apiVersion = textField(top, 'apiVersion') ?? 'v1'
  if (kind !== 'Config' || apiVersion !== 'v1') {
    throw new KubeconfigError(`${top.place}: is a ${kind} of ${apiVersion}, not a Config of v1`)
  }
}

function parseEntries(top: KubeconfigEntry, list: string, kind: string): Map<string, KubeconfigEntry> {
  const entries = new Map<string, KubeconfigEntry>()
  const items = top.fields[list] ?? []
  if (!Array.isArray(items)) throw new KubeconfigError(`${top.place}: ${list} must be a list`)
  for (const [index, item] of (items as readonly unknown[]).entries()) {
    const { name, fields } = parseItem(item, { kind, place: `${top.place}: ${list}[${index}]` })
    if (entries.has(name)) throw new KubeconfigError(`${top.place}: ${kind} "${name}" is there twice; keep one`)
    entries.set(name, { place: `${top.place}: ${kind} "${name}"`, folder: top.folder, fields })
  }
  return entries
}

function parseItem(
  item: unknown,
  options: { kind: string; place: string },
): { name: string; fields: KubeconfigFields } {
  const { kind, place } = options
  if (!isFields(item)) throw new KubeconfigError(`${place} must be a mapping with name and ${kind}`)
  const name = textField({ place, folder: '', fields: item }, 'name')
  if (name === undefined) throw new KubeconfigError(`${place} has no name`)
  const fields = item[kind] ?? {}
  if (!isFields(fields)) throw new KubeconfigError(`${place} ("${name}"): ${kind} must be a mapping`)
  return { name, fields }
}

function firstWins(maps: readonly ReadonlyMap<string, KubeconfigEntry>[]): Map<string, KubeconfigEntry> {
  const merged = new Map<string, KubeconfigEntry>()
  for (const map of maps.toReversed()) for (const [name, entry] of map) merged.set(name, entry)
  return merged
}

function referenced(
  context: KubeconfigEntry,
  entries: ReadonlyMap<string, KubeconfigEntry>,
  wanted: { kind: string; name: string },
): KubeconfigEntry {
  const entry = entries.get(wanted.name)
  if (entry !== undefined) return entry
  const { kind, name } = wanted
  throw new KubeconfigError(`${context.place}: ${kind} "${name}" not found; there are: ${listNames(entries.keys())}`)
}

function namespaceOf(context: KubeconfigEntry): string {
  const namespace = textField(context, 'namespace') ?? 'default'
  if (namespace.length <= 63 && /^[\da-z]([\da-z-]*[\da-z])?$/u.test(namespace)) return namespace
  throw new KubeconfigError(`${context.place}: namespace "${namespace}" is not a valid name of a namespace`)
}
