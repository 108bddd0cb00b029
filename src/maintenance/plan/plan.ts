import { maintenanceMessage, nodeMessage, type NodeState } from './messages.ts'
import type { Staying } from './pods.ts'
import {
  byAge,
  type DrainingMaintenance,
  type GroupSum,
  type Member,
  type NodeGroup,
  type NodeTally,
  type Standing,
} from './standing.ts'
import { emptySum, sumOf } from './group-sum.ts'
import { countTargeted } from './pods.ts'
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
  readonly staying: Staying
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
 * reached. A maintenance continues only when those that it shares nodes with have done what their nodes had reached.
 */
export function resolve(tallies: Iterable<NodeTally>): Resolution {
  const { groups, standings } = group(tallies)
  for (const each of groups) {
    aim(each, beginningOf(each))
    place(each)
  }
  for (const standing of standings) {
    const { plan } = standing.maintenance
    standing.targets = targetsOf(plan, Math.min(standing.position, plan.length - 1))
  }
  for (const each of groups) aim(each, allowedBy(each))
  for (const component of components(standings)) unlock(component)
  for (const each of groups) each.sum = sumOf(each)
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
    const fresh: NodeGroup = { standings: maintenances.map(standingOf), members: [member], sum: emptySum([]) }
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

/** What the nodes of a group mean for the maintenances that they have. */
function place({ standings, members }: NodeGroup): void {
  const isUnsettled = members.some(hasTargeted)
  for (const [index, standing] of standings.entries()) {
    let { position } = standing
    for (const { tally } of members) position = Math.min(position, tally.lowest[index] ?? 0)
    standing.position = position
    standing.isUnsettled ||= isUnsettled
  }
}

/** The first entry of a plan begins at once, so that maintenances that come at the same moment see each other begin. */
function beginningOf({ standings }: NodeGroup): Targets {
  return standings
    .map(({ maintenance }) => targetsOf(maintenance.plan, 0))
    .reduce((least, targets) => meet(least, targets))
}

/** The least of what its maintenances target. One whose neighbours are not done may begin, and not continue. */
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
  // Thousands of nodes say the same few things.
  const known = new Map<Targets, Map<boolean, string>>()
  const evacuatingOrWaiting = (targets: Targets, isEvacuating: boolean, state: NodeState): string => {
    const messages = known.get(targets) ?? new Map<boolean, string>()
    const message = messages.get(isEvacuating) ?? nodeMessage(state)
    messages.set(isEvacuating, message)
    known.set(targets, messages)
    return message
  }
  return members.map(({ tally, targets, targeted }) => {
    const { leaving, staying } = tally.node.pods
    const isDrained = leaving.length === 0
    const state = { standings, targets, isDrained, isEvacuating: targeted > 0, staying }
    const message = isDrained ? nodeMessage(state) : evacuatingOrWaiting(targets, targeted > 0, state)
    return [tally.node.name, { tally, targets, message, isDrained }]
  })
}

function outcomeOf(standing: Standing): MaintenanceOutcome {
  const sums = standing.groups.map(({ sum }) => sum)
  const total = (count: (sum: GroupSum) => number) => sums.reduce((all, sum) => all + count(sum), 0)
  const nodesTotal = standing.groups.reduce((all, { members }) => all + members.length, 0)
  const nodesDrained = total((sum) => sum.nodesDrained)
  const isDrained = nodesDrained === nodesTotal
  const distinct = new Set(sums.flatMap(({ targets }) => [...targets]))
  const staying = {
    DaemonSet: total((sum) => sum.staying.DaemonSet),
    Static: total((sum) => sum.staying.Static),
    NodeAgent: total((sum) => sum.staying.NodeAgent),
  }
  const isEvacuating = sums.some((sum) => sum.isEvacuating)
  return {
    reached: [...distinct].reduce((least, targets) => meet(least, targets)),
    message: maintenanceMessage({ standing, isDrained, isEvacuating, staying }),
    isDrained,
    nodesTotal,
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
  const ahead = standing.groups.filter(({ sum }) => [...sum.reached].some((reached) => !covers(targets, reached)))
  const older = ahead
    .flatMap(({ standings }) => standings.map((each) => each.maintenance))
    .filter((other) => byAge(other, maintenance) < 0)
  return [...new Set(older)].toSorted(byAge).map(({ name }) => name)
}
