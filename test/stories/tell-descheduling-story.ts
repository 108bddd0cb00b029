import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import { renderPolicyProblem } from '../../src/descheduler/policy/problem.ts'
import type { CycleReport } from '../../src/descheduler/cycle/cycle.ts'
import type { PodView } from '../../src/descheduler/view.ts'
import { openDescheduling } from '../../src/manager/descheduling/descheduling.ts'
import { noMetrics } from '../build/descheduler-view.ts'
import { unmeasuredParts } from '../build/descheduling-parts.ts'
import { buildKube } from '../build/kube.ts'
import type { CycleSeen, DeschedulingScenario, DeschedulingWorld } from '../scenarios/descheduling-world.ts'
import type { EvacuationWorld } from '../scenarios/lifeboat-world.ts'
import { runEvacuationScenario, started } from '../scenarios/run-evacuation-scenario.ts'
import { interceptEvictions as intercept } from './intercept-evictions.ts'
import type { HookedGround } from './lifeboat-grounds.ts'

/** Deschedulers run in the process of the test: whatever one of them keeps in memory is lost with it. */
export async function tellDeschedulingStory(
  { name, run }: DeschedulingScenario,
  ground: HookedGround,
  namespace: string,
): Promise<unknown[]> {
  let end: (() => Promise<void>) | undefined
  const startDescheduler: DeschedulingWorld['startDescheduler'] = async (policy, choices = {}) => {
    await end?.()
    const opened = await startOne(ground, namespace, policy, choices)
    end = opened.end
    return opened
  }
  await using closing = new AsyncDisposableStack()
  closing.defer(async () => end?.())
  const interceptEvictions: DeschedulingWorld['interceptEvictions'] = async (handler) => {
    const webhooks = closing.use(await ground.openWebhooks())
    closing.use(await intercept(ground, { namespace, webhooks, handler }))
  }
  const told = { name, run: (world: EvacuationWorld) => run({ ...world, startDescheduler, interceptEvictions }) }
  return await runEvacuationScenario(told, ground, namespace)
}

async function startOne(
  ground: HookedGround,
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
    sees: async (pod: string, mark: 'marked' | 'unmarked') => {
      const isSeen = () =>
        watch
          .view(ground.nowMs(), noMetrics)
          .pods.some(
            ({ name, marks, namespace: of }) =>
              of === namespace && name === pod && marks.evictionInProgress === (mark === 'marked'),
          )
      for (let tries = 0; !isSeen(); tries++) {
        if (tries > 600) throw new Error(`${ground.name}: the watch does not show ${pod} as ${mark}`)
        await ground.pass(50)
      }
    },
    end: async () => {
      stop.abort(new Error('the process is gone'))
      await started(ground, running)
    },
  }
}

function seenOf({ strategies }: CycleReport): CycleSeen {
  const names = (pods: readonly PodView[]) => pods.map(({ name }) => name).toSorted()
  return {
    asked: strategies.flatMap(({ left }) => left.map(({ name }) => name)),
    leaving: names(strategies.flatMap(({ leaving }) => leaving)),
    cut: names(strategies.flatMap(({ cut }) => cut.map(({ pod }) => pod))),
    refused: names(strategies.flatMap(({ refused }) => refused.map(({ pod }) => pod))),
    spared: Object.fromEntries(strategies.flatMap(({ spared }) => spared.map(({ pod, reason }) => [pod.name, reason]))),
  }
}
