/** A cycle of a descheduler, from its log. */
export interface CycleLine {
  /** Pods that it sends away, or would. */
  readonly named: number
  /** Pods that were leaving already. */
  readonly leaving: number
  /** Undefined where the log does not tell. */
  readonly elapsedMs: number | undefined
}

interface LogLine {
  readonly msg?: string
  readonly asked?: number
  readonly alreadyLeaving?: number
  readonly elapsedMs?: number
  readonly totalEvicted?: number
  readonly ts?: number
  readonly strategy?: string
}

/** Reads the log of Lifeboat's descheduler, line by line. */
export function lifeboatCycle(text: string): CycleLine | undefined {
  const { msg, asked, alreadyLeaving = 0, elapsedMs } = parsed(text)
  return msg === 'cycle' && asked !== undefined ? { named: asked, leaving: alreadyLeaving, elapsedMs } : undefined
}

const upstreamBegins = 'Processing namespaces for topology spread constraints'
/** Before it puts back what a dry run has taken from its copy of the cluster. */
const upstreamPluginsEnd = 'Total number of evictions/requests'
const upstreamEnds = 'Number of evictions/requests'

/** Reads the log of upstream's. Its cycle begins with the topology spread, if the policy says so. */
export class UpstreamCycles {
  #beganMs: number | undefined
  #endedMs: number | undefined

  read(text: string): CycleLine | undefined {
    const { msg, ts, totalEvicted } = parsed(text)
    if (msg === upstreamBegins) this.#beganMs ??= ts
    if (msg === upstreamPluginsEnd) this.#endedMs = ts
    if (msg !== upstreamEnds || totalEvicted === undefined) return undefined
    const [beganMs, endedMs] = [this.#beganMs, this.#endedMs]
    this.#beganMs = undefined
    this.#endedMs = undefined
    const elapsedMs = beganMs === undefined || endedMs === undefined ? undefined : endedMs - beganMs
    return { named: totalEvicted, leaving: 0, elapsedMs }
  }
}

function parsed(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine
  } catch {
    return {}
  }
}
