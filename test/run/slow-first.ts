import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the slowest first: one that begins last is waited for by everybody. Those on the real
 * cluster that wait for timers of Kubernetes and measure them come first, beside one another, where the machine is not
 * busy. The lines at the end of a run show what belongs here.
 */
const slowest: readonly string[] = [
  'stories/daemon-set-unheld',
  'stories/unhealthy-nodes-killed',
  'stories/daemon-set-evacuation',
  'stories/node-lifecycle',
  'stories/unhealthy-nodes-restart',
  'stories/unhealthy-nodes-others',
  'stories/unhealthy-nodes',
  'stories/maintenance-silent-nodes',
  'real/install-descheduler',
  'real/install',
  'real/install-upgrade',
  'stories/deployment-evacuation',
  'stories/evacuation-disappearance.running',
  'stories/evacuation-disappearance.killed',
  'real/static-pods',
  'real/readme',
  'real/shutdown',
  'real/docs-commands',
  'stories/maintenance-walk',
  'real/descheduler-parity',
  'real/informer',
  'stories/maintenance-gates',
  'stories/cluster',
  'stories/autoscaler-evacuation',
  'stories/evict-strategy-evacuation',
  'real/evacuation-process',
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
