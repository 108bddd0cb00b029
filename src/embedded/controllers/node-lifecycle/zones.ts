import type { Node } from '../objects.ts'

// As upstream: https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/nodelifecycle/node_lifecycle_controller.go

export type ZoneState = 'initial' | 'normal' | 'partialDisruption' | 'fullDisruption'

export interface ZoneTally {
  readonly ready: number
  readonly notReady: number
}

/** What follows for the pace at which the nodes of each zone get their NoExecute taints. */
export interface Disruption {
  readonly states: ReadonlyMap<string, ZoneState>
  /** Nodes a second, for zones whose pace changes. */
  readonly rates: ReadonlyMap<string, number>
  /** All zones were lost at once: rather the control plane is cut off than every machine is dead. */
  readonly stopsAll: boolean
  /** The first zone is back: no node is given up before it had the time to report. */
  readonly resumes: boolean
}

const rates = { normal: 0.1, secondary: 0.01, none: 0 }
const unhealthyShare = 0.55
/** Up to so many nodes nothing is evicted in a zone in partial disruption. */
const smallZoneNodesMax = 50
const excluded = 'node.kubernetes.io/exclude-disruption'

export function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata
  const zone = labels['topology.kubernetes.io/zone'] ?? ''
  const region = labels['topology.kubernetes.io/region'] ?? ''
  return `${region}:${zone}`
}

export function countsInZone({ metadata }: Node): boolean {
  return metadata.labels?.[excluded] === undefined
}

export function zoneStateOf({ ready, notReady }: ZoneTally): ZoneState {
  if (ready === 0 && notReady > 0) return 'fullDisruption'
  return notReady > 2 && notReady / (ready + notReady) >= unhealthyShare ? 'partialDisruption' : 'normal'
}

export function decideDisruption(
  before: ReadonlyMap<string, ZoneState>,
  tallies: ReadonlyMap<string, ZoneTally>,
): Disruption {
  const states = new Map([...tallies].map(([zone, tally]) => [zone, zoneStateOf(tally)] as const))
  const known = [...before].filter(([zone]) => tallies.has(zone))
  const isLost = [...states.values()].every((state) => state === 'fullDisruption')
  const wasLost = known.every(([, state]) => state === 'fullDisruption') && known.length === states.size
  if (isLost && wasLost) return { states, rates: new Map(), stopsAll: false, resumes: false }
  if (isLost)
    return {
      states,
      rates: new Map([...states.keys()].map((zone) => [zone, rates.none])),
      stopsAll: true,
      resumes: false,
    }
  const changed = [...states].filter(([zone, state]) => wasLost || before.get(zone) !== state)
  return {
    states,
    rates: new Map(changed.map(([zone, state]) => [zone, rateOf(state, tallies.get(zone))])),
    stopsAll: false,
    resumes: wasLost,
  }
}

function rateOf(state: ZoneState, { ready, notReady }: ZoneTally = { ready: 0, notReady: 0 }): number {
  if (state !== 'partialDisruption') return rates.normal
  return ready + notReady > smallZoneNodesMax ? rates.secondary : rates.none
}
