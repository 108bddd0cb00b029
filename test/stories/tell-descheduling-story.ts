import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import { renderPolicyProblem } from '../../src/descheduler/policy/problem.ts'
import type { CycleReport } from '../../src/descheduler/cycle.ts'
import type { PodView } from '../../src/descheduler/view.ts'
import { openDescheduling } from '../../src/manager/descheduling.ts'
import { buildKube } from '../build/kube.ts'
import type { CycleSeen, DeschedulingScenario, DeschedulingWorld } from '../scenarios/descheduling.ts'
import { runEvacuationScenario, started } from '../scenarios/run-evacuation-scenario.ts'
import type { SwitchedGround } from './lifeboat-grounds.ts'
import { unmeasuredParts } from '../build/descheduling-parts.ts'

/** Deschedulers run in the process of the test: whatever one of them keeps in memory is lost with it. */
export async function tellDeschedulingStory(
  { name, run }: DeschedulingScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  let end: (() => Promise<void>) | undefined
  const startDescheduler: DeschedulingWorld['startDescheduler'] = async (policy, choices = {}) => {
    await end?.()
    const opened = await startOne(ground, namespace, policy, choices)
    end = opened.end
    return { cycle: opened.cycle }
  }
  try {
    return await runEvacuationScenario({ name, run: (world) => run({ ...world, startDescheduler }) }, ground, namespace)
  } finally {
    await end?.()
  }
}

async function startOne(
  ground: SwitchedGround,
  namespace: string,
  policy: object,
  { mode = 'evacuate', requestTtlMs }: Parameters<DeschedulingWorld['startDescheduler']>[1] & object,
) {
  const read = parsePolicy(JSON.stringify(policy))
  if ('problems' in read) throw new Error(read.problems.map(renderPolicyProblem).join('; '))
  const stop = new AbortController()
  const { watch, descheduler, run } = await started(
    ground,
    openDescheduling({
      ...unmeasuredParts,
      kube: buildKube(ground.transport, ground.clock),
      clock: ground.clock,
      policy: read.policy,
      mode,
      dryRun: false,
      namespace,
      requestTtlMs,
      signal: stop.signal,
      on: {},
    }),
  )
  const running = run(stop.signal)
  await started(ground, watch.synced())
  return {
    cycle: async () => seenOf(await started(ground, descheduler.cycle(read.policy, stop.signal))),
    end: async () => {
      stop.abort(new Error('the process is gone'))
      await started(ground, running)
    },
  }
}

function seenOf({ strategies }: CycleReport): CycleSeen {
  const names = (pods: readonly PodView[]) => pods.map(({ name }) => name).toSorted()
  return {
    asked: names(strategies.flatMap(({ left }) => left)),
    leaving: names(strategies.flatMap(({ leaving }) => leaving)),
    cut: names(strategies.flatMap(({ cut }) => cut.map(({ pod }) => pod))),
    refused: names(strategies.flatMap(({ refused }) => refused.map(({ pod }) => pod))),
  }
}
