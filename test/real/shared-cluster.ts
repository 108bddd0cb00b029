import type { TestProject } from 'vitest/node'
import { startCluster } from '../cluster/cluster.ts'
import type { KubectlAccess } from '../cluster/kubectl.ts'

/** How a test of this folder reaches the cluster that they all share: `inject('cluster')`. */
export interface SharedCluster extends KubectlAccess {
  readonly server: string
  readonly adminToken: string
  /** PEM. */
  readonly certificateAuthority: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    cluster: SharedCluster
  }
}

export default async function shareCluster(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster()
  const { server, kubeconfigPath, kubectlPath, adminToken, certificateAuthority, folder } = cluster
  project.provide('cluster', { server, kubeconfigPath, kubectlPath, adminToken, certificateAuthority, folder })
  return async () => cluster[Symbol.asyncDispose]()
}
