import { deschedulerInstigator, type InstigatorParts } from '../run/instigators.ts'
import { interceptEviction } from '../../admission/reviews/intercept-eviction.ts'
import { kubeLookups } from '../../admission/reviews/lookups.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { instigators } from '../../api/names.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import type { EvacuationRequests, Evictions } from '../../descheduler/asking.ts'
import { requestEvacuation } from '../../evacuation-client/request-evacuation.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'

/** How the descheduler asks pods to leave. */
export interface DeschedulerInstigation extends EvacuationRequests, Evictions {}

const instigator = instigators.descheduler

/** With an account of its own: the webhooks complete what it writes, and intercept its evictions. */
export function instigationOfOthers(kube: Kube): DeschedulerInstigation {
  return {
    request: (pod, more, signal) => requestEvacuation(kube, { instigator, pod, ...more, signal }),
    evict: (pod, more) => kube.evict(pod, more),
  }
}

export interface OwnInstigationParts extends InstigatorParts {
  readonly clock: Clock
  readonly log: Log
}

/**
 * With Lifeboat's own account, whose requests skip its webhooks: what those would do is done here. So a pod leaves in the
 * same way, whichever account the descheduler has.
 */
export function ownInstigation(parts: OwnInstigationParts): DeschedulerInstigation {
  const { kube, gates, claims, clock, log } = parts
  const instigating = deschedulerInstigator(parts)
  const lookups = kubeLookups(kube)
  return {
    request: async (pod, { annotations }, signal) => {
      // The view of a cycle has neither all annotations nor all owners of the pod.
      const found = await unlessNotFound(kube.get(pods, pod, { signal }))
      if (found?.metadata.uid !== pod.uid) return { kind: 'podGone' }
      return instigating.request(found, signal, annotations)
    },
    evict: async (pod, options) => {
      if (!gates.EvictionInterception) return kube.evict(pod, options)
      const { signal } = options
      const intercepting = {
        kube,
        lookups,
        claims,
        evictor: async () => 'other' as const,
        isPodEvictPolicyOn: gates.PodEvictPolicy,
        log,
        nowMs: clock.nowMs(),
      }
      const answer = await interceptEviction(evictionOf(pod), intercepting, signal)
      if (answer.allowed) return kube.evict(pod, options)
      const { code, message } = answer
      return { kind: 'refused', by: { kind: 'admission', message }, code, retryAfterSeconds: undefined }
    },
  }
}

function evictionOf({ namespace, name, uid }: PodRef) {
  return { namespace, name, object: { deleteOptions: { preconditions: { uid } } }, dryRun: false }
}
