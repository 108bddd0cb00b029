import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the slowest first: all others wait for one that begins last. On the real cluster those
 * that wait for timers of Kubernetes stand between those that compute, so that the machine is never idle, and never so
 * busy that timers are late. The lines at the end of a run show what belongs here.
 */
const slowest: readonly string[] = [
  'stories/daemon-set-unheld',
  'stories/node-lifecycle',
  'stories/unhealthy-nodes-killed',
  'real/install-descheduler',
  'stories/evacuation-disappearance.running',
  'real/install',
  'real/readme',
  'stories/daemon-set-evacuation',
  'stories/unhealthy-nodes-restart',
  'real/docs-commands',
  'real/shutdown',
  'stories/unhealthy-nodes-others',
  'stories/unhealthy-nodes',
  'stories/evict-strategy-evacuation',
  'stories/evacuation-disappearance.killed',
  'stories/maintenance-silent-nodes',
  'real/static-pods',
  'real/install-upgrade',
  'real/descheduler-parity',
  'real/silent-connection',
  'stories/deployment-evacuation',
  'stories/maintenance-gates',
  'stories/maintenance-walk',
  'stories/autoscaler-evacuation',
  'real/evacuation-process',
  'stories/cluster',
  'real/informer',
  'stories/maintenance-meddling',
  'stories/stateful-set-evacuation',
  'stories/evacuation-deletion',
  // These mostly wait, so others compute beside them.
  'bench/measure-idle',
  'test/completion-shells',
  'test/demo',
  'test/daemon-set-kill-points',
  'test/shutdown-kill-points',
  'test/unhealthy-kill-points',
  'test/random-evacuations.1',
  'test/random-evacuations.2',
  'test/random-evacuations.3',
  'test/random-evacuations.4',
  'test/maintenance-kill-points.1',
  'test/maintenance-kill-points.2',
  'src/maintenance/plan/plan-properties',
]

export class SlowFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not an array
    const sorted = await super.sort(specifications)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowest.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
  return rank === -1 ? slowest.length : rank
}
