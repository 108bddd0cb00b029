import { runCycle } from '../../src/descheduler/cycle/cycle.ts'
import { createEvictor } from '../../src/descheduler/evictor/default-evictor.ts'
import { breath } from '../../src/descheduler/plugin.ts'
import { pluginTable } from '../../src/descheduler/plugins/plugin-table.ts'
import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import { renderPolicyProblem } from '../../src/descheduler/policy/problem.ts'
import { valueOf, type PriorityValues } from '../../src/descheduler/cycle/priority-thresholds.ts'
import { nothingStands } from '../../src/descheduler/cycle/standing.ts'
import type { ClusterView } from '../../src/descheduler/view.ts'
import type { Nominated } from './upstream.ts'

/** What a cycle of ours names if every pod leaves that is asked to. */
export function runOurs(policy: object, view: ClusterView, priorities: PriorityValues): Nominated[] {
  const read = parsePolicy(JSON.stringify(policy))
  if ('problems' in read) throw new Error(read.problems.map(renderPolicyProblem).join('; '))
  const cycle = runCycle({
    view,
    policy: read.policy,
    standing: nothingStands,
    plugins: pluginTable,
    evictorFor: ({ defaultEvictor }, state) =>
      createEvictor(defaultEvictor, {
        view,
        state,
        priorityThreshold: valueOf(defaultEvictor.priorityThreshold, priorities),
        isByEvacuation: false,
        schedulerRules: undefined,
      }),
  })
  const found: Nominated[] = []
  let next = cycle.next()
  while (next.done !== true) {
    const step = next.value
    if (step === breath || step.kind === 'begins') {
      next = cycle.next()
      continue
    }
    const { namespace, name, nodeName } = step.pod
    found.push({ namespace, name, node: nodeName })
    next = cycle.next({ kind: 'requested' })
  }
  return found
}
