import { renderDuration } from '../output/duration.ts'
import { renderNodeAgent, type NodeAgents } from './node-agents.ts'
import { renderTable } from '../output/table.ts'
import type { DrainPicture, NodePicture } from '../view/drain-picture.ts'
import { counting } from '../output/counting.ts'
import { renderExpected } from '../view/render-picture.ts'
import { eachOnce, type WaitingPod } from '../view/waiting-pods.ts'

const blockersMax = 10

/** All maintenances, and below them what waits. */
export function renderStatusTable(
  pictures: readonly DrainPicture[],
  options: { wide: boolean; nowMs: number },
): string[] {
  if (pictures.length === 0) return ['No maintenances. `lifeboat drain NODE` begins one.']
  const header = ['NAME', 'STAGE', 'NODES', 'DRAINED', 'PENDING', 'EVACUATING', 'EXPECTED', 'AGE']
  const rows = pictures
    .toSorted((a, b) => (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0) || (a.name < b.name ? -1 : 1))
    .map((picture) => row(picture, options.nowMs).concat(options.wide ? [picture.reason || '-'] : []))
  const blockers = renderBlockers(eachOnce(pictures.flatMap(({ waiting }) => waiting)))
  return [
    ...renderTable(options.wide ? [...header, 'REASON'] : header, rows),
    ...(blockers.length === 0 ? [] : ['', ...blockers]),
  ]
}

function row(picture: DrainPicture, nowMs: number): string[] {
  const { name, stage, nodesTotal, nodesDrained, pending, evacuating, expected, createdAtMs } = picture
  return [
    name,
    stage,
    String(nodesTotal),
    stage === 'Drain' ? String(nodesDrained) : '-',
    String(pending),
    String(evacuating),
    expected === undefined ? '-' : `in ${renderExpected(expected)}`,
    createdAtMs === undefined ? '-' : renderDuration(nowMs - createdAtMs),
  ]
}

/** With what the condition says: being asked to complete is not yet completed. */
function stageText({ stage, isCompleted, isDrained }: DrainPicture): string {
  if (stage === 'Complete') return isCompleted ? 'Complete (done)' : 'Complete (going on)'
  return stage === 'Drain' && isDrained ? 'Drain (drained)' : stage
}

/** Everything about one. */
export function renderStatusDetail(
  picture: DrainPicture,
  options: { targets: string; nowMs: number; agents?: NodeAgents | undefined },
): string[] {
  const { name, reason, nodesTotal, nodesDrained, pending, evacuating, elapsedMs, expected, createdAtMs } = picture
  const facts: readonly (readonly [string, string])[] = [
    ['Name', name],
    ...(reason === '' ? [] : [['Reason', reason] as const]),
    ['Stage', stageText(picture)],
    ['Age', createdAtMs === undefined ? '-' : renderDuration(options.nowMs - createdAtMs)],
    ['Nodes', picture.stage === 'Drain' ? `${nodesDrained} of ${nodesTotal} drained` : String(nodesTotal)],
    ['Pods', `${pending} pending, ${evacuating} evacuating`],
    ['Targets', options.targets],
    ...(picture.message === '' ? [] : [['Message', picture.message] as const]),
    ...(elapsedMs === undefined ? [] : [['Draining for', renderDuration(elapsedMs)] as const]),
    ['Expected', expected === undefined ? '-' : `in ${renderExpected(expected)}`],
  ]
  const width = Math.max(...facts.map(([label]) => label.length)) + 3
  const blockers = renderBlockers(picture.waiting)
  return [
    ...facts.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`),
    ...(picture.nodes.length === 0 ? [] : ['', ...renderNodes(picture.nodes, options.agents ?? new Map())]),
    ...(blockers.length === 0 ? [] : ['', ...blockers]),
  ]
}

/** Where no node has an agent, none is wanted, and nothing is said about agents. */
function renderNodes(nodes: readonly NodePicture[], agents: NodeAgents): string[] {
  const agentOf = ({ name }: NodePicture) => (agents.size === 0 ? [] : [renderNodeAgent(agents, name)])
  const agentHeader = agents.size === 0 ? [] : ['AGENT']
  return renderTable(
    ['NODE', 'STATE', 'PENDING', 'EVACUATING', 'EXPECTED', ...agentHeader, 'MESSAGE'],
    nodes.map((node) => [...nodeFigures(node), ...agentOf(node), node.message === '' ? node.waitsFor : node.message]),
  )
}

/** What its pods wait for stands below. */
function nodeFigures({ name, state, pending, evacuating, expected }: NodePicture): string[] {
  return [
    name,
    state,
    String(pending),
    String(evacuating),
    expected === undefined ? '-' : `in ${renderExpected(expected)}`,
  ]
}

/** Those that need manual action first, each with what helps. */
function renderBlockers(waiting: readonly WaitingPod[]): string[] {
  if (waiting.length === 0) return []
  const shown = waiting.toSorted((a, b) => Number(b.needsSomebody) - Number(a.needsSomebody)).slice(0, blockersMax)
  const more = waiting.length - shown.length
  return [
    `${counting(waiting.length, 'pod')} ${waiting.length === 1 ? 'waits' : 'wait'}:`,
    ...shown.flatMap(blockerLines),
    ...(more > 0 ? [`  and ${more} more; \`lifeboat why NODE\` tells of each`] : []),
  ]
}

function blockerLines({ text, node, remedy }: WaitingPod): string[] {
  const what = `  ${text} (${node})`
  return remedy === '' ? [what] : [what, `    what helps: ${remedy}`]
}
