import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, the slowest first: one that begins last is waited for by everybody. The lines at the end
 * of a run show what belongs here.
 */
const slowest: readonly string[] = [
  'stories/daemon-set-unheld',
  'stories/daemon-set-evacuation',
  'stories/evacuation-disappearance.running',
  'stories/evacuation-disappearance.killed',
  'real/install',
  'real/install-upgrade',
  'real/install-descheduler',
  'real/shutdown',
  'stories/unhealthy-nodes-killed',
  'stories/unhealthy-nodes-others',
  'stories/unhealthy-nodes-restart',
  'stories/node-lifecycle',
  'stories/unhealthy-nodes',
  'real/static-pods',
  'real/readme',
  'stories/maintenance-gates',
  'stories/autoscaler-evacuation',
  'stories/evict-strategy-evacuation',
  'stories/deployment-evacuation',
  'real/descheduler-parity',
  'real/informer',
  'real/evacuation-process',
  'stories/maintenance-walk',
  'stories/maintenance-meddling',
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
