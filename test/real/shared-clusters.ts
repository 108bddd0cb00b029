import type { TestProject } from 'vitest/node'
import { type Cluster, startCluster } from '../cluster/cluster.ts'
import type { KubectlAccess } from '../cluster/kubectl.ts'

/** How a test reaches a cluster that others use too. */
export interface SharedCluster extends KubectlAccess {
  readonly server: string
  readonly etcdServer: string
  readonly adminToken: string
  /** PEM. */
  readonly certificateAuthority: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** One for each worker: what is provided is the same for all, and each knows its own number. */
    clusters: readonly SharedCluster[]
  }
}

/** A cluster for each worker. One that nobody uses costs next to nothing. */
export default async function shareClusters(project: TestProject): Promise<() => Promise<void>> {
  const starting = Array.from({ length: project.config.maxWorkers }, () => startCluster())
  const clusters = await Promise.all(starting)
  project.provide('clusters', clusters.map(shareCluster))
  return async () => {
    await Promise.all(clusters.map((cluster) => cluster[Symbol.asyncDispose]()))
  }
}

/** What of a cluster can be told to another process. */
export function shareCluster(cluster: Cluster): SharedCluster {
  const { server, etcdServer, kubeconfigPath, kubectlPath, adminToken, certificateAuthority, folder } = cluster
  return { server, etcdServer, kubeconfigPath, kubectlPath, adminToken, certificateAuthority, folder }
}
