/** A moment as Kubernetes keeps it, to the second. Rounded down, so that the present is never in the future. */
export function timestamp(atMs: number): string {
  return new Date(Math.floor(atMs / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')
}
