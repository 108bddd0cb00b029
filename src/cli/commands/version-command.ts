import type { Command } from 'commander'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { explainFailure, InterruptedError } from '../output/errors.ts'
import { acceptingNamespace, connecting, outputOption, type OutputOptions } from '../flags.ts'
import { readLeader, type Leader } from '../connect/leader.ts'
import { isData, renderAs } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, type ReachedCluster } from '../connect/reached-cluster.ts'
import { version as ownVersion } from '../version.ts'

export interface VersionOptions extends ConnectionOptions, OutputOptions {
  readonly client?: boolean
}

/** What `version -o json` prints. */
export interface VersionReport {
  readonly client: string
  readonly server?: {
    /** Of Kubernetes. */
    readonly version: string
    readonly address: string
    readonly lifeboat: 'installed' | 'not installed' | 'unknown'
    /** Who leads; null if no Lifeboat does; left out if the caller may not look. */
    readonly leader?: string | null
  }
}

export function addVersion(program: Command, world: World): void {
  const command = program
    .command('version')
    .description('print the version of this program, and what is on the cluster if it can be reached')
    .option('--client', 'only that of this program')
    .addOption(outputOption(['json', 'yaml']))
  acceptingNamespace(connecting(command)).action((options: VersionOptions) => version(world, options))
}

export async function version(world: World, options: VersionOptions): Promise<void> {
  const { report, problem } = options.client === true ? { report: onlyClient } : await lookAround(world, options)
  if (isData(options.output)) world.print(renderAs(options.output, report))
  else for (const line of renderVersion(report)) world.print(line)
  if (problem !== undefined) world.printError(`no cluster was asked: ${problem}`)
}

const onlyClient: VersionReport = { client: ownVersion }

/** A cluster that cannot be reached is no failure: the question was about versions. */
async function lookAround(
  world: World,
  options: VersionOptions,
): Promise<{ readonly report: VersionReport; readonly problem?: string }> {
  try {
    await using cluster = await reachCluster(world, options)
    return { report: { client: ownVersion, server: await lookAt(cluster) } }
  } catch (error) {
    if (error instanceof InterruptedError) throw error
    return { report: onlyClient, problem: explainFailure(error).message }
  }
}

async function lookAt({
  kube,
  clock,
  signal,
  server,
  serverVersion,
}: ReachedCluster): Promise<NonNullable<VersionReport['server']>> {
  const lifeboat = await kube
    .pages(nodeMaintenances, { pageSize: 1, signal })
    .next()
    .then(() => 'installed' as const)
    .catch((error: unknown) => {
      if (isKubeError(error, 'notFound')) return 'not installed' as const
      if (isKubeError(error, 'forbidden')) return 'unknown' as const
      throw error
    })
  const leader: Leader = lifeboat === 'not installed' ? { kind: 'none' } : await readLeader(kube, clock.nowMs(), signal)
  const about = { version: serverVersion, address: server, lifeboat }
  if (leader.kind === 'unknown') return about
  return { ...about, leader: leader.kind === 'leads' ? leader.identity : null }
}

export function renderVersion({ client, server }: VersionReport): string[] {
  if (server === undefined) return [`lifeboat ${client}`]
  const { version: kubernetes, address, lifeboat, leader } = server
  return [
    `lifeboat ${client}`,
    `Kubernetes ${kubernetes} at ${address}`,
    `Lifeboat on it: ${presence(lifeboat, leader)}`,
  ]
}

function presence(lifeboat: string, leader: string | null | undefined): string {
  if (lifeboat !== 'installed' || leader === undefined) return lifeboat
  return leader === null ? 'installed, and no replica leads' : `installed, ${leader} leads`
}
