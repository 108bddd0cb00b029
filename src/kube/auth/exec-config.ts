import { resolve } from 'node:path'

import type { KubeconfigEntry } from './kubeconfig-entry.ts'
import { flagField, isFields, isSet, listField, textField } from './kubeconfig-entry.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** How to run a credential plugin: the `exec` of a user. */
export interface ExecConfig {
  /** To begin an error with: `kubeconfig ~/x: user "dev": exec`. */
  readonly place: string
  readonly apiVersion: ExecApiVersion
  readonly command: string
  readonly args: readonly string[]
  /** What the plugin gets beside our own environment. */
  readonly environment: Readonly<Record<string, string>>
  readonly installHint: string | undefined
  readonly provideClusterInfo: boolean
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const

export type ExecApiVersion = (typeof apiVersions)[number]

export function parseExecConfig(user: KubeconfigEntry): ExecConfig {
  const fields = user.fields['exec']
  if (!isFields(fields)) throw new KubeconfigError(`${user.place}: exec must be a mapping`)
  const entry: KubeconfigEntry = { place: `${user.place}: exec`, folder: user.folder, fields }
  const apiVersion = parseApiVersion(entry)
  checkInteractiveMode(entry, apiVersion)
  const command = textField(entry, 'command')
  if (command === undefined) throw new KubeconfigError(`${entry.place} has no command`)
  return {
    place: entry.place,
    apiVersion,
    // A bare name is looked up on the PATH; anything with a slash counts from the kubeconfig's folder.
    command: /[/\\]/u.test(command) ? resolve(entry.folder, command) : command,
    args: listField(entry, 'args').map((arg) => {
      if (typeof arg === 'string') return arg
      throw new KubeconfigError(`${entry.place}: args must be texts (put numbers in quotes)`)
    }),
    environment: parseEnvironment(entry),
    installHint: textField(entry, 'installHint'),
    provideClusterInfo: flagField(entry, 'provideClusterInfo'),
  }
}

function parseApiVersion(entry: KubeconfigEntry): ExecApiVersion {
  const wanted = textField(entry, 'apiVersion')
  const found = apiVersions.find((apiVersion) => apiVersion === wanted)
  if (found !== undefined) return found
  const problem = wanted === undefined ? 'has no apiVersion' : `has apiVersion ${wanted}, which is not supported`
  throw new KubeconfigError(`${entry.place} ${problem}; use one of: ${apiVersions.join(', ')}`)
}

function checkInteractiveMode(entry: KubeconfigEntry, apiVersion: ExecApiVersion): void {
  // v1 has no default; v1beta1 means IfAvailable.
  const implied = apiVersion === 'client.authentication.k8s.io/v1beta1' ? 'IfAvailable' : undefined
  const mode = textField(entry, 'interactiveMode') ?? implied
  if (mode === 'Never' || mode === 'IfAvailable') return
  if (mode === 'Always') {
    throw new KubeconfigError(
      `${entry.place} has interactiveMode Always, but Lifeboat gives a plugin no terminal; use another way to log in`,
    )
  }
  const problem = mode === undefined ? 'has no interactiveMode' : `has the unknown interactiveMode "${mode}"`
  throw new KubeconfigError(`${entry.place} ${problem}; use Never or IfAvailable`)
}

function parseEnvironment(entry: KubeconfigEntry): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [index, item] of listField(entry, 'env').entries()) {
    const variable: KubeconfigEntry = {
      place: `${entry.place}: env[${index}]`,
      folder: entry.folder,
      fields: isFields(item) ? item : {},
    }
    if (!isSet(variable, 'name')) throw new KubeconfigError(`${variable.place} has no name`)
    environment[textField(variable, 'name') ?? ''] = textField(variable, 'value') ?? ''
  }
  return environment
}
