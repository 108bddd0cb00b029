import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { byPriorityThenClass } from '../../api/evacuation/evacuator.ts'
import { instigatorsOf } from '../../api/evacuation/instigator-finalizers.ts'
import { shellCommand } from '../../api/shell-command.ts'
import { present } from './explain-node.ts'
import type { CancellationReport } from './report.ts'

/** Undefined where the evacuation ends when no instigator wants it any more. */
export function explainCancellation(evacuation: Evacuation): CancellationReport | undefined {
  const { metadata, status } = evacuation
  if (status?.evacuationCancellationPolicy !== 'Forbid') return undefined
  const setBy = mayHaveSetIt(evacuation)
  const patch = shellCommand`kubectl patch evacuation ${metadata.name} -n ${metadata.namespace} --subresource=status --type=merge -p '{"status":{"evacuationCancellationPolicy":"Allow"}}'`
  const isWithdrawn = instigatorsOf(evacuation).length === 0
  const wish = isWithdrawn ? 'no instigator wants the pod gone any more, but ' : ''
  return {
    policy: 'Forbid',
    setBy,
    message: `${wish}its evacuation cannot be cancelled: ${whoSetIt(setBy)} set evacuationCancellationPolicy to Forbid, because it cannot go back`,
    next: `see what the evacuator has done so far; this allows the cancellation${isWithdrawn ? ', and the pod then stays' : ''}:`,
    commands: present(patch),
  }
}

/**
 * The active evacuator first. The status does not say who set the policy, and a change of the evacuator does not reset
 * it, so each one before the active one may have set it too.
 */
function mayHaveSetIt({ spec, status }: Evacuation): string[] {
  const active = status?.activeEvacuatorClass
  if (active === undefined) return []
  const classes = (spec.evacuators ?? []).toSorted(byPriorityThenClass).map(({ evacuatorClass }) => evacuatorClass)
  const before = classes.slice(0, Math.max(0, classes.indexOf(active)))
  return [active, ...before.toReversed()]
}

function whoSetIt([active, ...before]: readonly string[]): string {
  if (active === undefined) return 'a client'
  return before.length === 0 ? `evacuator ${active}` : `evacuator ${active}, or ${before.join(' or ')} before it,`
}
