import { drainMessageLengthMax } from '../../api/maintenance/maintenance-status.ts'
import type { Staying } from './pods.ts'
import { byAge, type NodeGroup, type Standing } from './standing.ts'
import { covers, type Targets } from './targets.ts'

// What a node and a maintenance say about their drain, in the words of KEP-4212.

export interface NodeState {
  /** The maintenances of the node, oldest first. It speaks for the first. */
  readonly standings: readonly Standing[]
  readonly targets: Targets
  readonly isDrained: boolean
  readonly isEvacuating: boolean
  readonly staying: Staying
}

export function nodeMessage({ standings, targets, isDrained, isEvacuating, staying }: NodeState): string {
  if (isDrained) return drained(staying)
  const [eldest] = standings
  if (eldest === undefined) return ''
  if (isEvacuating) return evacuating(limitersOf(eldest, standings, targets))
  return waiting(holdersOf(eldest))
}

export interface MaintenanceState {
  readonly standing: Standing
  readonly isDrained: boolean
  readonly isEvacuating: boolean
  readonly staying: Staying
}

/** A maintenance names the older ones that limit it; where a younger one does, its nodes say so. */
export function maintenanceMessage({ standing, isDrained, isEvacuating, staying }: MaintenanceState): string {
  if (isDrained) return drained(staying)
  if (!isEvacuating) return waiting(holdersOf(standing))
  const limiters = standing.groups.flatMap((group) => limitersIn(standing, group))
  return evacuating(limiters.filter((other) => byAge(other.maintenance, standing.maintenance) < 0))
}

/** The other maintenances of a node that keep it from what this one targets. */
function limitersOf(standing: Standing, standings: readonly Standing[], targets: Targets): Standing[] {
  if (covers(targets, standing.targets)) return []
  return standings.filter((other) => other !== standing && !covers(other.targets, standing.targets))
}

function limitersIn(standing: Standing, { standings, sum }: NodeGroup): Standing[] {
  return [...sum.targets].flatMap((targets) => limitersOf(standing, standings, targets))
}

/** Whom a maintenance waits for before it continues: itself, those that limit it, or neighbours that are not done. */
function holdersOf(standing: Standing): Standing[] {
  const holders = new Set<Standing>()
  for (const { standings, sum } of standing.groups) {
    for (const targets of sum.current[standings.indexOf(standing)] ?? []) {
      if (covers(targets, standing.targets)) holders.add(standing)
      for (const limiter of limitersOf(standing, standings, targets)) holders.add(limiter)
    }
  }
  if (holders.size > 0) return [...holders]
  const busy = [...standing.neighbours].filter(({ isUnsettled }) => isUnsettled)
  return busy.length > 0 ? busy : [standing]
}

function evacuating(limiters: readonly Standing[]): string {
  return limiters.length === 0 ? 'Evacuating' : `Evacuating (limited by ${namesOf(limiters)})`
}

function waiting(holders: readonly Standing[]): string {
  return `Waiting for ${namesOf(holders)}.`
}

function drained({ Static = 0, DaemonSet = 0, NodeAgent = 0 }: Staying): string {
  const parts = [
    counted(Static, 'static pod'),
    counted(DaemonSet, 'DaemonSet pod'),
    NodeAgent === 1 ? 'the node agent' : counted(NodeAgent, 'node agent'),
  ].filter((part) => part !== undefined)
  if (parts.length === 0) return 'Drained'
  return `Drained (${parts.join(' and ')} ${Static + DaemonSet + NodeAgent === 1 ? 'stays' : 'stay'})`
}

function counted(count: number, one: string): string | undefined {
  return count === 0 ? undefined : `${count} ${one}${count === 1 ? '' : 's'}`
}

/** Oldest first; those that do not fit into a message are counted. */
function namesOf(standings: readonly Standing[]): string {
  const names = [...new Set(standings.map(({ maintenance }) => maintenance))].toSorted(byAge).map(({ name }) => name)
  const room = drainMessageLengthMax - 100
  let length = 0
  const fitting = names.filter((name) => (length += name.length + 2) <= room)
  const left = names.length - fitting.length
  return left === 0 ? fitting.join(', ') : `${fitting.join(', ')} and ${left} more`
}
