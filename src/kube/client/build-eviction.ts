export interface EvictionOptions {
  readonly dryRun?: boolean
  readonly gracePeriodSeconds?: number
  /** On the Eviction, for the admission of the cluster to read. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** What is sent to evict this very pod, and no other that has its name by now. */
export function buildEviction(
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
  { dryRun, gracePeriodSeconds, annotations }: EvictionOptions,
): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name, ...(annotations === undefined ? {} : { annotations }) },
    deleteOptions: {
      preconditions: { uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      // Kubernetes wants it in the query as well, or refuses.
      ...(dryRun === true ? { dryRun: ['All'] } : {}),
    },
  }
}
