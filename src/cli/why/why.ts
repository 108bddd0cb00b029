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
import { asCalled } from '../output/as-called.ts'
import { listMaintenances } from '../maintenance/find-maintenance.ts'
import { takenNames } from '../maintenance/start-maintenance.ts'
import { explain } from './explain.ts'
import { explainDrain } from './explain-drain.ts'
import { lookAtNode, lookAtPod } from './look.ts'
import { lookAtDrain } from './look-at-drain.ts'
import { renderDrain } from './render-drain.ts'
import { renderWhy } from './render-why.ts'
import type { DrainView, DrainWhyReport, WhyReport, WhyView } from './report.ts'

export interface WhyOptions extends ConnectionOptions, OutputOptions {
  readonly namespace?: string
}

export function addWhy(program: Command, world: World): void {
  connecting(program.command('why'))
    .description('say why pods have not left a node yet, and what would help')
    .argument('<what>', 'a node, a drain, a pod, or NAMESPACE/POD')
    .addOption(namespaceOption())
    .addOption(outputOption(['json', 'yaml']))
    .action((what: string, options: WhyOptions) => why(world, what, options))
}

/** `lifeboat why NODE|DRAIN|POD`. */
export async function why(world: World, what: string, options: WhyOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { kube, clock, signal } = cluster
  const view = await lookAt(kube, what, { ...options, contextNamespace: cluster.namespace }, signal)
  const nowMs = clock.nowMs()
  const report = inWordsOf(world.programName, 'views' in view ? explainDrain(view, nowMs) : explain(view, nowMs))
  if (report.pods.some(({ phase }) => phase !== 'Unaffected')) await warnIfNobodyLeads(world, cluster)
  if (isData(options.output)) return world.print(renderAs(options.output, report))
  // Loaded when there is something to wrap, as in status.ts.
  const { wrapLines } = await import('./wrap-lines.ts')
  const lines = report.about === 'drain' ? renderDrain(report, nowMs) : renderWhy(report, nowMs)
  for (const line of wrapLines(lines, world.terminal)) world.print(asCalled(line, world))
}

interface Place {
  readonly namespace?: string
  readonly contextNamespace: string
}

/** A name alone may be any: a node first, unless the user names a namespace; a drain last. */
async function lookAt(kube: Kube, what: string, place: Place, signal: AbortSignal): Promise<WhyView | DrainView> {
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
  const found = view ?? (isPod ? undefined : await lookAtDrain(kube, what, signal))
  if (found !== undefined) return found
  const pod = `pod ${namespace}/${key.name}`
  throw new CommandError(isPod ? `there is no ${pod}` : `there is no node and no drain ${what}, and no ${pod}`, {
    advice: await adviceFor(kube, what, isPod, signal),
  })
}

async function adviceFor(kube: Kube, what: string, isPod: boolean, signal: AbortSignal): Promise<string> {
  const otherwise = isPod
    ? 'If it was there, it is gone, and nothing waits for it; `kubectl get pods -A` lists those that are there.'
    : '`kubectl get nodes` lists nodes, `lifeboat status` drains; a pod of another namespace is NAMESPACE/POD, or goes with -n.'
  if (isPod) return otherwise
  const [all, drains] = await Promise.all([
    unlessForbidden(kube.list(nodes, { signal })),
    unlessForbidden(listMaintenances(kube, signal)),
  ])
  const names = all?.items.map(({ metadata }) => metadata.name) ?? []
  const close = closestNames(what, [...new Set([...names, ...takenNames(drains ?? [])])])
  return close.length === 0 ? otherwise : `Did you mean ${close.join(' or ')}?`
}

/** Called as a plugin of kubectl, its commands are those of the plugin. */
function inWordsOf<T extends WhyReport | DrainWhyReport>(programName: string, report: T): T {
  const named = <Part extends { readonly commands: readonly string[] }>(part: Part): Part => ({
    ...part,
    commands: part.commands.map((command) => command.replace(/^lifeboat(?= )/, programName)),
  })
  return {
    ...report,
    ...('node' in report && report.node !== undefined ? { node: named(report.node) } : {}),
    ...('nodes' in report ? { nodes: report.nodes.map(named) } : {}),
    pods: report.pods.map(named),
  }
}
