import type { PodType } from '../api/pod-type.ts'
import { maintenanceMessage, nodeMessage } from './messages.ts'
import {
  byAge,
  type DrainingMaintenance,
  type Member,
  type NodeGroup,
  type NodeTally,
  type Standing,
} from './standing.ts'
import { countTargeted } from './tally.ts'
import { covers, join, meet, noTargets, targetsOf, type Targets } from './targets.ts'

export interface NodeOutcome {
  readonly tally: NodeTally
  readonly targets: Targets
  readonly message: string
  readonly isDrained: boolean
}

export interface MaintenanceOutcome {
  /** What is reached on all of its nodes. */
  readonly reached: Targets
  readonly message: string
  readonly isDrained: boolean
  readonly nodesTotal: number
  readonly nodesDrained: number
  readonly pending: number
  readonly evacuating: number
  readonly staying: Readonly<Partial<Record<PodType, number>>>
  /** Older maintenances that have taken a shared node further than its own plan has come, oldest first. */
  readonly forwardedBy: readonly string[]
}

export interface Resolution {
  readonly nodes: ReadonlyMap<string, NodeOutcome>
  /** By name; one that selects no node is not in it. */
  readonly maintenances: ReadonlyMap<string, MaintenanceOutcome>
}

/**
 * Which pods are to leave which node now (KEP-4212, Pod Selection). A maintenance stands at the first entry of its plan
 * that still has pods on any of its nodes. A node gets what all of its maintenances allow, and keeps what it had
 * reached. A maintenance goes on only when those that it shares nodes with have done what their nodes had reached.
 */
export function resolve(tallies: Iterable<NodeTally>): Resolution {
  const { groups, standings } = group(tallies)
  for (const { standings: own, members } of groups) {
    for (const { tally } of members) {
      own.forEach((standing, index) => {
        standing.position = Math.min(standing.position, tally.lowest[index] ?? 0)
        standing.isUnsettled ||= tally.targeted > 0
      })
    }
  }
  for (const standing of standings) {
    const { plan } = standing.maintenance
    standing.targets = targetsOf(plan, Math.min(standing.position, plan.length - 1))
  }
  for (const each of groups) aim(each, allowedBy(each))
  for (const component of components(standings)) unlock(component)
  return {
    nodes: new Map(groups.flatMap((each) => outcomesOf(each))),
    maintenances: new Map(standings.map((standing) => [standing.maintenance.name, outcomeOf(standing)])),
  }
}

function group(tallies: Iterable<NodeTally>): { groups: NodeGroup[]; standings: Standing[] } {
  const groups = new Map<readonly DrainingMaintenance[], NodeGroup>()
  const standings = new Map<DrainingMaintenance, Standing>()
  const standingOf = (maintenance: DrainingMaintenance): Standing => {
    const known = standings.get(maintenance)
    if (known !== undefined) return known
    const fresh: Standing = {
      maintenance,
      position: maintenance.plan.length,
      targets: noTargets,
      isUnsettled: false,
      neighbours: new Set(),
      groups: [],
    }
    standings.set(maintenance, fresh)
    return fresh
  }
  for (const tally of tallies) {
    const { maintenances, reached } = tally.node
    const member = { tally, targets: reached, targeted: tally.targeted }
    const known = groups.get(maintenances)
    if (known !== undefined) {
      known.members.push(member)
      continue
    }
    const fresh: NodeGroup = { standings: maintenances.map(standingOf), members: [member] }
    groups.set(maintenances, fresh)
    for (const standing of fresh.standings) {
      standing.groups.push(fresh)
      for (const other of fresh.standings) if (other !== standing) standing.neighbours.add(other)
    }
  }
  return {
    groups: [...groups.values()],
    standings: [...standings.values()].toSorted((a, b) => byAge(a.maintenance, b.maintenance)),
  }
}

/** The least of what its maintenances target. One whose neighbours are not done may begin, and not go on. */
function allowedBy({ standings }: NodeGroup): Targets {
  const each = standings.map((standing) => {
    const isFree = [...standing.neighbours].every(({ isUnsettled }) => !isUnsettled)
    return isFree ? standing.targets : targetsOf(standing.maintenance.plan, 0)
  })
  return each.reduce((least, targets) => meet(least, targets))
}

function aim({ members }: NodeGroup, targets: Targets): void {
  const joined = new Map<Targets, Targets>()
  for (const member of members) {
    const before = member.targets
    const after = joined.get(before) ?? join(before, targets)
    joined.set(before, after)
    if (after === before) continue
    member.targets = after
    member.targeted = countTargeted(member.tally.node.pods.leaving, after)
  }
}

/** Maintenances that hang together by shared nodes, oldest first. */
function components(standings: readonly Standing[]): Standing[][] {
  const seen = new Set<Standing>()
  return standings.flatMap((first) => {
    if (seen.has(first)) return []
    const component = [first]
    seen.add(first)
    for (const standing of component) {
      for (const neighbour of standing.neighbours) {
        if (seen.has(neighbour)) continue
        seen.add(neighbour)
        component.push(neighbour)
      }
    }
    return [component.toSorted((a, b) => byAge(a.maintenance, b.maintenance))]
  })
}

/**
 * Plans may contradict one another: one wants the pods with a label first, another those without. Where nothing would
 * ever leave for that, the oldest maintenance goes its way: its preconditions are the ones that must not break.
 */
function unlock(component: readonly Standing[]): void {
  const isMoving = component.some(({ groups }) => groups.some(({ members }) => members.some(hasTargeted)))
  if (isMoving) return
  const eldest = component.find(({ position, maintenance }) => position < maintenance.plan.length)
  for (const each of eldest?.groups ?? []) aim(each, eldest?.targets ?? noTargets)
}

function hasTargeted({ targeted }: Member): boolean {
  return targeted > 0
}

function outcomesOf({ standings, members }: NodeGroup): [string, NodeOutcome][] {
  const messages = new Map<Targets, Map<string, string>>()
  return members.map(({ tally, targets, targeted }) => {
    const { leaving, staying } = tally.node.pods
    const isDrained = leaving.length === 0
    const state = { standings, targets, isDrained, isEvacuating: targeted > 0, staying }
    const known = messages.get(targets) ?? new Map<string, string>()
    messages.set(targets, known)
    // Thousands of nodes say the same few things.
    const key = `${isDrained} ${state.isEvacuating} ${staying.DaemonSet} ${staying.Static}`
    const message = known.get(key) ?? nodeMessage(state)
    known.set(key, message)
    return [tally.node.name, { tally, targets, message, isDrained }]
  })
}

function outcomeOf(standing: Standing): MaintenanceOutcome {
  const members = standing.groups.flatMap((each) => each.members)
  const total = (count: (tally: NodeTally) => number) => members.reduce((sum, { tally }) => sum + count(tally), 0)
  const nodesDrained = total(({ node }) => (node.pods.leaving.length === 0 ? 1 : 0))
  const isDrained = nodesDrained === members.length
  const distinct = new Set(members.map(({ targets }) => targets))
  const staying = {
    DaemonSet: total(({ node }) => node.pods.staying.DaemonSet ?? 0),
    Static: total(({ node }) => node.pods.staying.Static ?? 0),
  }
  return {
    reached: [...distinct].reduce((least, targets) => meet(least, targets)),
    message: maintenanceMessage({ standing, isDrained, isEvacuating: members.some(hasTargeted), staying }),
    isDrained,
    nodesTotal: members.length,
    nodesDrained,
    pending: total(({ pending }) => pending),
    evacuating: total(({ evacuating }) => evacuating),
    staying,
    forwardedBy: forwardersOf(standing),
  }
}

/** On nodes that have reached more than this maintenance would have there: the older ones that did it. */
function forwardersOf(standing: Standing): string[] {
  const { maintenance, targets } = standing
  const ahead = standing.groups.filter(({ members }) => {
    const distinct = new Set(members.map(({ tally }) => tally.node.reached))
    return [...distinct].some((reached) => !covers(targets, reached))
  })
  const older = ahead
    .flatMap(({ standings }) => standings.map((each) => each.maintenance))
    .filter((other) => byAge(other, maintenance) < 0)
  return [...new Set(older)].toSorted(byAge).map(({ name }) => name)
}
