import { delimiter, join, resolve, sep } from 'node:path'

import type { Clock } from '../../runtime/clock.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { staticCredentials } from './credentials.ts'
import { isInCluster, loadInCluster } from './in-cluster.ts'
import { resolveCluster } from './kubeconfig-cluster.ts'
import type { KubeconfigDocument } from './kubeconfig-document.ts'
import { chooseContext, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-document.ts'
import { fileProblem, isMissingFile, KubeconfigError } from './kubeconfig-error.ts'
import { resolveUser } from './kubeconfig-user.ts'
import type { FileReader, ProcessRunner } from './system-files.ts'

export interface LoadKubeconfigOptions {
  /** `--kubeconfig`: this file and no other. */
  readonly path?: string
  /** `--context`, instead of the current one. */
  readonly context?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly homeFolder: string
  readonly files: FileReader
  readonly processes: ProcessRunner
  readonly clock: Clock
}

type Candidates = { readonly paths: readonly string[]; readonly namedBy: '--kubeconfig' | 'KUBECONFIG' | 'default' }

/**
 * Finds out how to reach the cluster: `--kubeconfig`, else the files of KUBECONFIG, else ~/.kube/config, else the service
 * account of the pod we run in. Throws only KubeconfigError.
 */
export async function loadKubeconfig(options: LoadKubeconfigOptions): Promise<ClusterAccess> {
  const candidates = candidatesOf(options)
  const documents = await readAll(candidates, options)
  if (documents.length === 0) return await withoutKubeconfig(candidates, options)
  const { cluster, user, namespace } = chooseContext(mergeKubeconfigs(documents), options.context)
  const { server, tls, execInfo } = await resolveCluster(cluster, options.files)
  const credentials = user === undefined ? staticCredentials({}) : await resolveUser(user, execInfo, options)
  return { server, namespace, tls, credentials }
}

function candidatesOf(options: LoadKubeconfigOptions): Candidates {
  if (options.path !== undefined) return { paths: [resolve(options.path)], namedBy: '--kubeconfig' }
  const listed = (options.environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '')
  if (listed.length > 0) return { paths: [...new Set(listed.map((path) => resolve(path)))], namedBy: 'KUBECONFIG' }
  return { paths: [join(options.homeFolder, '.kube', 'config')], namedBy: 'default' }
}

async function readAll(candidates: Candidates, options: LoadKubeconfigOptions): Promise<KubeconfigDocument[]> {
  const documents: KubeconfigDocument[] = []
  for (const path of candidates.paths) {
    const document = await readOne(path, candidates, options)
    if (document !== undefined) documents.push(document)
  }
  return documents
}

/** Undefined: there is nothing, which only an explicitly named file makes a mistake. */
async function readOne(
  path: string,
  candidates: Candidates,
  options: LoadKubeconfigOptions,
): Promise<KubeconfigDocument | undefined> {
  const explicit = candidates.namedBy === '--kubeconfig'
  const shown = shownPath(path, options.homeFolder)
  let text: string
  try {
    text = await options.files.readText(path)
  } catch (error) {
    if (!explicit && isMissingFile(error)) return undefined
    throw new KubeconfigError(`kubeconfig ${shown} ${fileProblem(error)}`, { cause: error })
  }
  const document = parseKubeconfig(text, { path, shown })
  if (document === undefined && explicit) throw new KubeconfigError(`kubeconfig ${shown} is empty`)
  return document
}

async function withoutKubeconfig(candidates: Candidates, options: LoadKubeconfigOptions): Promise<ClusterAccess> {
  const shown = candidates.paths.map((path) => shownPath(path, options.homeFolder)).join(':')
  const source = candidates.namedBy === 'KUBECONFIG' ? `KUBECONFIG names ${shown}, and there is nothing` : `no ${shown}`
  if (options.context !== undefined) {
    throw new KubeconfigError(`no kubeconfig to choose context "${options.context}" from: ${source}`)
  }
  if (isInCluster(options.environment)) return await loadInCluster(options)
  throw new KubeconfigError(
    `no cluster to talk to: ${source}, and this is not a pod; name a kubeconfig with --kubeconfig or KUBECONFIG`,
  )
}

function shownPath(path: string, homeFolder: string): string {
  const home = homeFolder.endsWith(sep) ? homeFolder : homeFolder + sep
  return home.length > 1 && path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path
}
