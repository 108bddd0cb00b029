import { createHash } from 'node:crypto'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { sameSelector, selectByName, selectorText } from './selector.ts'
import {
  attach,
  build,
  cut,
  decideStart,
  drainOf,
  freeName,
  isOfFamily,
  isOver,
  nameLengthMax,
  takenNames,
  type Start,
  type WantedMaintenance,
} from './start-maintenance.ts'

/** What the user asks for with `drain` or `cordon` of any number of nodes. */
export interface WantedDrain extends Omit<WantedMaintenance, 'drain'> {
  /** The labels that chose the nodes; undefined where they were named. */
  readonly selectorText?: string | undefined
  /** One maintenance for all nodes, which leave in lock-step. */
  readonly isTogether: boolean
}

export interface DrainStart {
  /** What the user calls it from now on: the maintenance, or the drain that joins several. */
  readonly name: string
  readonly isJoined: boolean
  readonly starts: readonly Start[]
}

/** A drain is found by a label, and so its name is the value of one. */
export const drainNameLengthMax = 63

/**
 * One maintenance a node, joined by a label: a pod that cannot leave one node does not hold the others. The same command
 * again continues what is there, and creates only what is missing. One maintenance that is there for all of these nodes
 * continues as it is.
 */
export function decideDrain(wanted: WantedDrain, existing: readonly NodeMaintenance[]): DrainStart {
  const { nodes, name, isTogether } = wanted
  const whole = decideStart(wanted, existing)
  if (isTogether || whole.kind === 'attach') return alone(whole)
  const families = name === undefined ? [baseName(wanted, 'Drain'), baseName(wanted, 'Cordon')] : [name]
  const isJoining = (drain: string | undefined) =>
    drain !== undefined && families.some((base) => isOfFamily(drain, base))
  const joined = existing
    .filter((each) => !isOver(each))
    .map(drainOf)
    .find(isJoining)
  // Labels may select more nodes when the command is run again.
  if (joined === undefined && nodes.length === 1 && wanted.selectorText === undefined) return alone(whole)
  const taken = takenNames(existing)
  const base = name ?? baseName(wanted, wanted.stage)
  const drain = joined ?? freeName(checkedName(base), taken, drainNameLengthMax)
  const parts = existing.filter((each) => drainOf(each) === drain && !isOver(each))
  const starts = nodes.map((node): Start => {
    const one = { ...wanted, nodes: [node], nodeSelector: selectByName([node]), drain }
    const found = parts.find(({ spec }) => sameSelector(spec.nodeSelector, one.nodeSelector))
    if (found !== undefined) return attach(one, found)
    const partName = freeName(partBase(drain, node), taken)
    taken.add(partName)
    return { kind: 'create', object: build(one, partName) }
  })
  return { name: drain, isJoined: true, starts }
}

function alone(start: Start): DrainStart {
  const { metadata } = start.kind === 'create' ? start.object : start.maintenance
  return { name: metadata.name, isJoined: false, starts: [start] }
}

/**
 * `drain-3-nodes-1f9c2a`, `drain-zone-a-77e0b1`. The same for the same words in any order, and for labels also when other
 * nodes have them by then.
 */
function baseName({ nodes, nodeSelector, selectorText: text }: WantedDrain, stage: WantedDrain['stage']): string {
  const what = text === undefined ? `${nodes.length}-nodes` : slugOf(text)
  return `${stage.toLowerCase()}-${what}-${hashOf(selectorText(nodeSelector))}`
}

const slugLengthMax = 40

/** `topology.kubernetes.io/zone=a` becomes `zone-a`. */
function slugOf(text: string): string {
  const words = text
    .toLowerCase()
    .replaceAll(/[^\s,(!]*\//gu, '')
    .replaceAll(/[^a-z0-9]+/gu, '-')
  return words.replace(/^-/u, '').slice(0, slugLengthMax).replace(/-$/u, '')
}

/** Where the name of the node does not fit, its hash tells the maintenances apart. */
function partBase(drain: string, node: string): string {
  const base = `${drain}-${node}`
  const suffix = `-${hashOf(node)}`
  return base.length <= nameLengthMax ? base : `${cut(base, suffix)}${suffix}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}

/** Before anything is written: the server would refuse each part by itself. */
function checkedName(name: string): string {
  if (name.length <= drainNameLengthMax && /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/u.test(name)) return name
  throw new CommandError(`${JSON.stringify(name)} cannot be the name of a drain of several nodes`, {
    advice: `Use at most ${drainNameLengthMax} lower case letters, digits, - and ., with a letter or a digit at both ends. Nothing was changed.`,
    exitCode: exitCodes.usage,
  })
}
