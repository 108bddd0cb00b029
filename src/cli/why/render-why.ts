import { instigators } from '../../api/names.ts'
import { renderDuration } from '../output/duration.ts'
import type { NodeReport, PodReport, WhyReport } from './report.ts'

const namesMax = 3

/** The report as lines for people. Pods that wait for the same are told together. */
export function renderWhy({ about, node, pods }: WhyReport, nowMs: number): string[] {
  const groups = [...Map.groupBy(pods, sameWords).values()].map((group) => renderGroup(group, nowMs))
  const nodes = node === undefined ? [] : [renderNode(node, about === 'node' ? pods : [])]
  // What was asked about comes first.
  const blocks = about === 'node' ? [...nodes, ...groups] : [...groups, ...nodes]
  return blocks
    .map((block) => block.map(withoutControls).join('\n'))
    .join('\n\n')
    .split('\n')
}

function renderNode(node: NodeReport, pods: readonly PodReport[]): string[] {
  const { message, next, commands, shutdown } = node
  const ofNode = [message, ...renderSilence(node), ...renderCounts(pods), `  next: ${next}`, ...commands.map(indented)]
  return shutdown === undefined
    ? ofNode
    : [...ofNode, shutdown.message, `  next: ${shutdown.next}`, ...shutdown.commands.map(indented)]
}

function renderSilence({ silence }: NodeReport): string[] {
  if (silence === undefined) return []
  const what = silence.nodeReady === 'Unknown' ? 'has been silent' : 'has reported that it is not ready'
  return [
    `  it ${what} since ${silence.since}: until it is back, nothing ends on it, and its pods may count as not ready`,
  ]
}

/** `2 Blocked, 5 Pending`; nothing where no pod waits. */
function renderCounts(pods: readonly PodReport[]): string[] {
  const counts = [...Map.groupBy(pods, ({ phase }) => phase)].map(([phase, group]) => `${group.length} ${phase}`)
  return counts.length === 0 ? [] : [`  pods: ${counts.join(', ')}`]
}

function sameWords({
  phase,
  reason,
  message,
  next,
  commands,
  expectedFinish,
  askedForBy,
  strategy,
  cancellation,
}: PodReport): string {
  return JSON.stringify([phase, reason, message, next, commands, expectedFinish, askedForBy, strategy, cancellation])
}

function renderGroup(group: readonly PodReport[], nowMs: number): string[] {
  const [first] = group
  if (first === undefined) return []
  const { phase, reason, message, next, commands, expectedFinish } = first
  const since = group.flatMap((pod) => pod.since ?? []).toSorted()[0]
  const howLong = since === undefined ? phase : `${phase} for ${renderDuration(nowMs - Date.parse(since))}`
  return [
    `${namesOf(group)} ${message}`,
    `  ${[howLong, reason, ...wishOf(first)].join(', ')}`,
    ...(expectedFinish === undefined ? [] : [`  expected to be done ${untilWhen(expectedFinish, nowMs)}`]),
    `  ${phase === 'Blocked' ? 'what helps' : 'next'}: ${next}`,
    ...commands.map(indented),
    ...renderCancellation(first),
  ]
}

function renderCancellation({ cancellation }: PodReport): string[] {
  if (cancellation === undefined) return []
  const { message, next, commands } = cancellation
  return [`  ${message}`, `  to cancel it: ${next}`, ...commands.map(indented)]
}

/** Maintenances have their own lines. */
function wishOf({ askedForBy = [], strategy }: PodReport): string[] {
  const names: Readonly<Record<string, string>> = {
    [instigators.evictionInterception]: 'eviction requests',
    [instigators.taintEviction]: 'Kubernetes (its node is not ready)',
    [instigators.descheduler]: strategy === undefined ? 'the descheduler' : `the descheduler (${strategy})`,
  }
  const others = askedForBy
    .filter((instigator) => instigator !== instigators.nodeMaintenance)
    .map((instigator) => names[instigator] ?? instigator)
  return others.length === 0 ? [] : [`asked for by ${others.join(' and ')}`]
}

function namesOf(group: readonly PodReport[]): string {
  const names = group.map(({ namespace, name }) => `${namespace}/${name}`)
  const more = names.length - namesMax
  if (names.length === 1) return names.join('')
  return `${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}: each`
}

function untilWhen(finish: string, nowMs: number): string {
  const leftMs = Date.parse(finish) - nowMs
  return leftMs < 0 ? `by now: it said ${finish}` : `in ${renderDuration(leftMs)}, at ${finish}`
}

function indented(command: string): string {
  return `      ${command}`
}

/** Much of it was written by others; a terminal would obey what is not text. */
function withoutControls(line: string): string {
  return line.replaceAll(/\p{Cc}+/gu, ' ').trimEnd()
}
