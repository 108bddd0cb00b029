import type { AgentWanted, StaticPodsReport } from '../../api/maintenance/agent-mailbox.ts'
import { decideParking, summarize, type FolderSummary, type ManifestFile } from './decide-parking.ts'
import type { ManifestFolder } from './manifest-folder.ts'

/** More in a row mean that another writer works against us. */
const stepsMax = 2_000

/** Makes the folder what Lifeboat wants of it, and says what is there. Undefined: no request could be read. */
export async function keepStaticPods(
  folder: ManifestFolder,
  wanted: AgentWanted | undefined,
): Promise<StaticPodsReport> {
  const pods = wanted?.park.map(({ pod }) => pod) ?? []
  try {
    const listing = await folder.list()
    if (listing.kind === 'isFile') {
      return { ...nothing(folder), problems: pods.map((pod) => ({ pod, kind: 'folderIsFile', message: folder.path })) }
    }
    const { files, problem } =
      wanted === undefined ? { files: listing.files } : await settle(folder, listing.files, new Set(pods))
    return reportOn(folder, summarize(files), pods, problem)
  } catch (error) {
    return { ...nothing(folder), problems: pods.map((pod) => ({ pod, kind: 'failed', message: messageOf(error) })) }
  }
}

/** A step that fails ends it: what was done before it stays, and is reported. */
async function settle(
  folder: ManifestFolder,
  found: readonly ManifestFile[],
  wanted: ReadonlySet<string>,
): Promise<{ files: readonly ManifestFile[]; problem?: string }> {
  let files = found
  for (let steps = 0; ; steps++) {
    const step = steps < stepsMax ? decideParking(files, wanted) : undefined
    if (step === undefined) return { files }
    try {
      await folder.take(step)
    } catch (error) {
      // Another writer was faster: what is there now decides.
      if (!isRace(error)) return { files, problem: messageOf(error) }
    }
    const listing = await folder.list()
    files = listing.kind === 'files' ? listing.files : []
  }
}

function reportOn(
  { path }: ManifestFolder,
  { parked, superseded, present }: FolderSummary,
  pods: readonly string[],
  problem: string | undefined,
): StaticPodsReport {
  const problems = pods
    .filter((pod) => !parked.includes(pod))
    .flatMap((pod): StaticPodsReport['problems'] => {
      if (!present.has(pod)) return [{ pod, kind: 'manifestNotFound', message: path }]
      return problem === undefined ? [] : [{ pod, kind: 'failed', message: problem }]
    })
  return { folder: path, parked: [...parked], superseded: [...superseded], problems }
}

function nothing({ path }: ManifestFolder): StaticPodsReport {
  return { folder: path, parked: [], superseded: [], problems: [] }
}

function isRace(error: unknown): boolean {
  return ['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
