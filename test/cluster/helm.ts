import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildBinaries } from './build.ts'
import { releaseIn } from './recipes.ts'

export const chart = join(import.meta.dirname, '..', '..', 'deploy', 'chart')

/** The release as everything here calls it. */
export const release = { name: 'lifeboat', namespace: 'lifeboat-system' }

/** Resolves to what helm printed, on both ways; rejects with that if it failed. */
export type Helm = (args: readonly string[]) => Promise<string>

/** Without a cluster for what needs none. */
export async function createHelm(cluster?: {
  readonly kubeconfigPath: string
  readonly folder: string
}): Promise<Helm> {
  const path = (await buildBinaries('helm')).get('helm') ?? ''
  const folder = cluster === undefined ? '/nonexistent' : join(cluster.folder, 'helm')
  const env = {
    ...process.env,
    // What others keep for Helm on this machine is nothing to us.
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
    ...(cluster === undefined ? {} : { KUBECONFIG: cluster.kubeconfigPath }),
  }
  return async (args) => {
    const { stdout, stderr } = await promisify(execFile)(path, args, { env, maxBuffer: 16 * 1024 * 1024 })
    return `${stdout}${stderr}`
  }
}

/** What the chart makes of these values. Helm is told the version: by itself it knows that of a cluster only. */
export function renderChart(helm: Helm, args: readonly string[]): Promise<string> {
  const { name, namespace } = release
  const { version } = releaseIn(process.env)
  return helm(['template', name, chart, '--namespace', namespace, '--kube-version', version, ...args])
}

/** The plain manifests: all objects, with their namespace, and without the hooks, which only Helm runs. */
export function renderPlainManifests(helm: Helm): Promise<string> {
  return renderChart(helm, ['--no-hooks', '--set', 'createNamespace=true'])
}
