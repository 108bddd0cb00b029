/** Versions are numbers that grow, as Kubernetes promises since 1.35 and always did before. What is none is older than all. */
export function versionNumber(resourceVersion: string | undefined): bigint {
  return resourceVersion !== undefined && /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n
}
