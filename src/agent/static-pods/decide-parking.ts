/**
 * How manifests are parked. The kubelet passes over names that begin with a dot, so a manifest is parked under such a
 * name in the same folder: nothing has to be copied, and the folder alone shows what is parked. One step at a time:
 * after each the folder is looked at again, so that an agent killed in between continues from what is there.
 */
export type FileStep =
  /** Atomic: there is always exactly one. It takes along whatever has the name at that moment. */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  /** Fails where there is a file of that name: nothing is ever overwritten. */
  | { readonly kind: 'link'; readonly from: string; readonly to: string }
  /** Only of a name whose file has another one. */
  | { readonly kind: 'unlink'; readonly name: string }

export interface ManifestFile {
  readonly name: string
  readonly inode: string
  /** `NAMESPACE/NAME` of the mirror; undefined: what is in it is no pod. */
  readonly pod: string | undefined
}

const parkedPrefix = '.lifeboat-parked.'
const supersededPrefix = '.lifeboat-superseded.'

export const isOfInterest = (name: string): boolean =>
  !name.startsWith('.') || name.startsWith(parkedPrefix) || name.startsWith(supersededPrefix)

/** Undefined: all is as it should be. `wanted` are the pods that are to be parked. */
export function decideParking(files: readonly ManifestFile[], wanted: ReadonlySet<string>): FileStep | undefined {
  const byName = new Map(files.map((file) => [file.name, file]))
  const names = new Set(files.map(({ name }) => manifestNameOf(name)).filter((name) => name !== undefined))
  for (const name of [...names].toSorted()) {
    const step = stepFor({ live: byName.get(name), parked: byName.get(parkedPrefix + name) }, byName, wanted)
    if (step !== undefined) return step
  }
  return undefined
}

interface Pair {
  readonly live: ManifestFile | undefined
  readonly parked: ManifestFile | undefined
}

function stepFor(
  { live, parked }: Pair,
  byName: ReadonlyMap<string, ManifestFile>,
  wanted: ReadonlySet<string>,
): FileStep | undefined {
  if (parked === undefined) {
    if (live === undefined || !isWanted(live, wanted)) return undefined
    return { kind: 'rename', from: live.name, to: parkedPrefix + live.name }
  }
  const liveName = parked.name.slice(parkedPrefix.length)
  if (live === undefined)
    return isWanted(parked, wanted) ? undefined : { kind: 'link', from: parked.name, to: liveName }
  // Died while it was put back. If it is wanted again, it is parked from the beginning.
  if (live.inode === parked.inode) return { kind: 'unlink', name: parked.name }
  // Another writer put a new one there meanwhile: that counts, and the old one is kept.
  const aside = `${supersededPrefix}${parked.inode}.${liveName}`
  return byName.get(aside)?.inode === parked.inode
    ? { kind: 'unlink', name: parked.name }
    : { kind: 'link', from: parked.name, to: aside }
}

function isWanted({ pod }: ManifestFile, wanted: ReadonlySet<string>): boolean {
  return pod !== undefined && wanted.has(pod)
}

/** The name that the kubelet knows it by; undefined for one that was set aside. */
function manifestNameOf(name: string): string | undefined {
  if (name.startsWith(supersededPrefix)) return undefined
  return name.startsWith(parkedPrefix) ? name.slice(parkedPrefix.length) : name
}

export interface FolderSummary {
  /** Pods of which every manifest is parked. */
  readonly parked: readonly string[]
  readonly superseded: readonly string[]
  /** Pods that have a manifest, parked or not. */
  readonly present: ReadonlySet<string>
}

export function summarize(files: readonly ManifestFile[]): FolderSummary {
  const podsOf = (matches: (name: string) => boolean) =>
    new Set(files.flatMap(({ name, pod }) => (matches(name) && pod !== undefined ? [pod] : [])))
  const parked = podsOf((name) => name.startsWith(parkedPrefix))
  const live = podsOf((name) => !name.startsWith('.'))
  return {
    parked: [...parked.difference(live)].toSorted(),
    superseded: [...podsOf((name) => name.startsWith(supersededPrefix))].toSorted(),
    present: parked.union(live),
  }
}
