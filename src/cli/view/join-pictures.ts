import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { stages } from '../../api/maintenance/stage.ts'
import type { Drain } from '../maintenance/find-maintenance.ts'
import { byTrouble, drainPicture, latest, type DrainPicture, type DrainView } from './drain-picture.ts'
import { eachOnce } from './waiting-pods.ts'

/** What is seen of the cluster at one moment, for pictures of any number of drains. */
export interface Sights extends Omit<DrainView, 'maintenance' | 'expectedNodes'> {
  readonly expectedNodes: (maintenance: NodeMaintenance) => readonly string[]
}

/** Nodes and Evacuations are sorted once: a drain of 500 nodes is 500 maintenances. */
export function drainPictures(drains: readonly Drain[], sights: Sights, nowMs: number): DrainPicture[] {
  const nodes = new Map(sights.nodes.map((node) => [node.metadata.name, node]))
  const moving = Map.groupBy(sights.evacuations, (evacuation) => nodeOfEvacuation(evacuation) ?? '')
  return drains.map(({ name, isJoined, maintenances }) => {
    const pictures = maintenances.map((maintenance) => pictureOf(maintenance, { sights, nodes, moving }, nowMs))
    const [first] = pictures
    return isJoined || first === undefined ? joinPictures(name, pictures, nowMs) : first
  })
}

interface Sorted {
  readonly sights: Sights
  readonly nodes: ReadonlyMap<string, Node>
  readonly moving: ReadonlyMap<string, readonly Evacuation[]>
}

function pictureOf(maintenance: NodeMaintenance, { sights, nodes, moving }: Sorted, nowMs: number): DrainPicture {
  const selected = selectedNodes(maintenance, nodes)
  const evacuations = selected.flatMap(({ metadata }) => moving.get(metadata.name) ?? [])
  const expectedNodes = sights.expectedNodes(maintenance)
  return drainPicture({ ...sights, maintenance, nodes: selected, expectedNodes, evacuations }, nowMs)
}

function selectedNodes(maintenance: NodeMaintenance, nodes: ReadonlyMap<string, Node>): Node[] {
  const { nodeSelectorTerms } = maintenance.spec.nodeSelector
  const isByName = nodeSelectorTerms.every(({ matchExpressions = [] }) => matchExpressions.length === 0)
  const candidates = isByName ? namedNodes(maintenance).flatMap((name) => nodes.get(name) ?? []) : [...nodes.values()]
  return candidates.filter((node) => matchesNodeSelector(maintenance.spec.nodeSelector, node))
}

/** Nodes that a maintenance names, whether or not Lifeboat has come to them. */
export function namedNodes({ spec }: NodeMaintenance): string[] {
  return spec.nodeSelector.nodeSelectorTerms.flatMap(({ matchFields = [], matchExpressions = [] }) =>
    matchExpressions.length > 0 ? [] : matchFields.flatMap(({ operator, values }) => (operator === 'In' ? values : [])),
  )
}

/** Maintenances of one drain as if they were one. Those that are over count only where all are. */
export function joinPictures(name: string, all: readonly DrainPicture[], nowMs: number): DrainPicture {
  const open = all.filter(({ stage }) => stage !== 'Complete')
  const parts = open.length > 0 ? open : all
  const sum = (count: (picture: DrainPicture) => number) => parts.reduce((total, part) => total + count(part), 0)
  const nodes = parts.flatMap((part) => part.nodes).toSorted(byTrouble)
  const created = all.flatMap(({ createdAtMs }) => createdAtMs ?? [])
  const elapsed = parts.flatMap(({ elapsedMs }) => elapsedMs ?? [])
  return {
    name,
    stage: stages.find((stage) => parts.some((part) => part.stage === stage)) ?? 'Complete',
    reason: onlyOne(parts.map(({ reason }) => reason)) ?? '',
    message: onlyOne(parts.map(({ message }) => message)) ?? '',
    isDrained: parts.length > 0 && parts.every(({ isDrained }) => isDrained),
    isCompleted: all.every(({ isCompleted }) => isCompleted),
    createdAtMs: created.length === 0 ? undefined : Math.min(...created),
    nodes,
    nodesTotal: sum(({ nodesTotal }) => nodesTotal),
    nodesDrained: sum(({ nodesDrained }) => nodesDrained),
    pending: sum(({ pending }) => pending),
    evacuating: sum(({ evacuating }) => evacuating),
    gone: sum(({ gone }) => gone),
    total: sum(({ total }) => total),
    waiting: eachOnce(parts.flatMap(({ waiting }) => waiting)),
    elapsedMs: elapsed.length === 0 ? undefined : Math.max(...elapsed),
    expected: latest(nodes, nowMs),
    isPartial: parts.some(({ isPartial }) => isPartial),
    trouble: parts.find(({ trouble }) => trouble !== undefined)?.trouble,
  }
}

function onlyOne(texts: readonly string[]): string | undefined {
  const [text, ...others] = new Set(texts)
  return others.length === 0 ? text : undefined
}
