import type { ClaimsLookup } from '../../evacuation-client/instigator.ts'
import type { Registry } from 'prom-client'
import { summaryOf } from '../../descheduler/report/cycle-summary.ts'
import { runLoop } from '../../descheduler/descheduling-loop.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { LeaderElection } from '../../kube/lease/leader-election.ts'
import type { KubeMetrics } from '../../kube/metrics.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { ownInstigation } from './descheduler-instigation.ts'
import { DeschedulingRunner, type RunnerParts } from './descheduling-runner.ts'
import { installation } from '../install/installation-names.ts'

/** What the caller that starts a manager says about the descheduler in it. */
export interface DeschedulingSettings extends Pick<RunnerParts, 'requestTtlMs' | 'turn' | 'get' | 'files' | 'version'> {
  /** The policy file, as it is now. */
  readonly readPolicy: () => Promise<string>
  readonly intervalMs: number
}

/** How it reaches the cluster, by connections and limits of its own: a cycle must not slow down a drain. */
export interface DeschedulingAccess {
  /** A client that writes only while this process leads and `mayWrite` says so. */
  readonly kubeWhile: (mayWrite: () => boolean) => Kube
  /** For its Lease. */
  readonly leaseKube: Kube
  readonly namespace: string
  readonly identity: string
}

export interface DeschedulingControllerParts extends DeschedulingAccess {
  readonly settings: DeschedulingSettings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: { record(event: ClusterEvent): void }
  readonly registry: Registry
  readonly metrics: KubeMetrics
  readonly gates: FeatureGates
  /** Shared with the other controllers: it reads owners of pods, and writes nothing. */
  readonly claims: ClaimsLookup
}

/**
 * The descheduler as a part of `lifeboat controller`: the replica that leads runs it. It takes the Lease of the
 * descheduler too, so that it never runs beside one in a process of its own, as it would for a moment when an
 * installation changes from one to the other.
 */
export class DeschedulingController implements Controller {
  readonly name = 'descheduling'
  readonly #parts: DeschedulingControllerParts
  readonly #election: LeaderElection
  readonly #runner: DeschedulingRunner

  constructor(parts: DeschedulingControllerParts) {
    const { settings, clock, log, gates, claims, namespace } = parts
    this.#parts = parts
    this.#election = new LeaderElection({ ...parts, kube: parts.leaseKube, name: installation.descheduler })
    const kube = parts.kubeWhile(() => this.#election.isLeading())
    this.#runner = new DeschedulingRunner({
      ...parts,
      ...settings,
      kube,
      namespace,
      mode: 'evacuate',
      dryRun: false,
      instigation: ownInstigation({ kube, gates, namespace, claims, clock, log }),
    })
  }

  /** Who does not lead watches nothing: the pods of a cluster are a lot to remember. */
  async follow(signal: AbortSignal): Promise<void> {
    await untilAborted(signal)
  }

  /** A policy that cannot be followed keeps no replica from being ready. */
  synced(): Promise<void> {
    return Promise.resolve()
  }

  async lead(signal: AbortSignal): Promise<void> {
    await this.#election.run(signal, (leading) => this.#runCycles(leading))
  }

  async #runCycles(signal: AbortSignal): Promise<void> {
    const { clock, log, settings } = this.#parts
    const { intervalMs, readPolicy } = settings
    try {
      await runLoop(
        {
          clock,
          log,
          intervalMs,
          readPolicy,
          open: (policy, stop) => this.#runner.open(policy, stop),
          onPolicy: (problems) => this.#runner.notePolicy(problems),
          onReport: (report, elapsedMs) => log.info(summaryOf(report, elapsedMs), 'cycle'),
        },
        signal,
      )
    } finally {
      // The next leader reads the file, and tells.
      this.#runner.notePolicy([])
    }
  }
}
