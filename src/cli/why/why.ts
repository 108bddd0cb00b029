import type { Command } from 'commander'
import { closestNames } from '../../api/closest-names.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessForbidden } from '../../kube/client/errors.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { CommandError } from '../output/errors.ts'
import { connecting, namespaceOption, outputOption, type OutputOptions } from '../flags.ts'
import { isData, renderAs } from '../output/output.ts'
import type { World } from '../program.ts'
import { reachCluster, warnIfNobodyLeads } from '../connect/reached-cluster.ts'
import { explain } from './explain.ts'
import { lookAtNode, lookAtPod } from './look.ts'
import { renderWhy } from './render-why.ts'
import type { WhyReport, WhyView } from './report.ts'

export interface WhyOptions extends ConnectionOptions, OutputOptions {
  readonly namespace?: string
}

export function addWhy(program: Command, world: World): void {
  connecting(program.command('why'))
    .description('say why pods have not left a node yet, and what would help')
    .argument('<what>', 'a node, a pod, or NAMESPACE/POD')
    .addOption(namespaceOption())
    .addOption(outputOption(['json', 'yaml']))
    .action((what: string, options: WhyOptions) => why(world, what, options))
}

/** `lifeboat why NODE|POD`. */
export async function why(world: World, what: string, options: WhyOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, clock, signal } = cluster
  const view = await lookAt(kube, what, { ...options, contextNamespace: cluster.namespace }, signal)
  const nowMs = clock.nowMs()
  const report = inWordsOf(world.programName, explain(view, nowMs))
  if (report.pods.some(({ phase }) => phase !== 'Unaffected')) await warnIfNobodyLeads(world, cluster)
  if (isData(options.output)) return world.print(renderAs(options.output, report))
  // Loaded when there is something to wrap, as in status.ts.
  const { wrapLines } = await import('./wrap-lines.ts')
  for (const line of wrapLines(renderWhy(report, nowMs), world.terminal)) world.print(line)
}

interface Place {
  readonly namespace?: string
  readonly contextNamespace: string
}

/** A name alone may be either: a node first, unless the user names a namespace. */
async function lookAt(kube: Kube, what: string, place: Place, signal: AbortSignal): Promise<WhyView> {
  const [, ofPod, podName] = /^([^/]+)\/([^/]+)$/.exec(what) ?? []
  const namespace = ofPod ?? place.namespace ?? place.contextNamespace
  const key = { namespace, name: podName ?? what }
  const isPod = ofPod !== undefined || what.includes('/')
  const atPod = () => lookAtPod(kube, key, signal)
  const atNode = async () => (isPod ? undefined : lookAtNode(kube, what, signal))
  const view =
    isPod || place.namespace !== undefined
      ? ((await atPod()) ?? (await atNode()))
      : ((await atNode()) ?? (await atPod()))
  if (view !== undefined) return view
  const pod = `pod ${namespace}/${key.name}`
  throw new CommandError(isPod ? `there is no ${pod}` : `there is no node ${what}, and no ${pod}`, {
    advice: await adviceFor(kube, what, isPod, signal),
  })
}

async function adviceFor(kube: Kube, what: string, isPod: boolean, signal: AbortSignal): Promise<string> {
  const otherwise = isPod
    ? 'If it was there, it is gone, and nothing waits for it; `kubectl get pods -A` lists those that are there.'
    : '`kubectl get nodes` lists nodes; a pod of another namespace is NAMESPACE/POD, or goes with -n.'
  if (isPod) return otherwise
  const all = await unlessForbidden(kube.list(nodes, { signal }))
  const close = closestNames(what, all?.items.map(({ metadata }) => metadata.name) ?? [])
  return close.length === 0 ? otherwise : `Did you mean ${close.join(' or ')}?`
}

/** Called as a plugin of kubectl, its commands are those of the plugin. */
function inWordsOf(programName: string, report: WhyReport): WhyReport {
  const named = <T extends { readonly commands: readonly string[] }>(part: T): T => ({
    ...part,
    commands: part.commands.map((command) => command.replace(/^lifeboat(?= )/, programName)),
  })
  return {
    ...report,
    ...(report.node === undefined ? {} : { node: named(report.node) }),
    pods: report.pods.map(named),
  }
}
