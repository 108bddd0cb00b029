import { evacuationIdOf } from '../../evacuation-client/evacuation-key.ts'
import { blockerOf } from '../../api/blocker/blocked-by.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { instigatorsOf } from '../../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NodeSilence } from '../../api/maintenance/node-silence.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { noteOf } from '../../descheduler/requests.ts'
import { explainCancellation } from './explain-cancellation.ts'
import { explainEnding, explainEvacuation, explainTerminating } from './explain-evacuation.ts'
import { explainNode, factsOf, type NodeFacts } from './explain-node.ts'
import { explainShutdown } from './explain-shutdown.ts'
import { drainsThatWant, explainGone, explainPlanned } from './explain-pod.ts'
import type { Phase, PodReport, WhyReport, WhyView } from './report.ts'

/** Why each pod of the view is where it is, and what comes next. */
export function explain(view: WhyView, nowMs: number): WhyReport {
  const facts = factsOf(view)
  const evacuations = new Map(view.evacuations.map((evacuation) => [keyOf(evacuation), evacuation]))
  const explained = view.pods.map((pod) => explainPod(pod, evacuations.get(evacuationIdOf(pod)), facts, nowMs))
  const gone = view.about === 'pod' && view.pods.length === 0 ? view.evacuations.map(explainGone) : []
  // Of a node, the unaffected pods are no news.
  const shown = explained.filter(({ phase }) => view.about === 'pod' || phase !== 'Unaffected')
  // A pod that merely ends may have been deleted by any client.
  const leaving = facts?.draining.length === 0 ? shown.filter(({ askedForBy }) => askedForBy !== undefined) : []
  const shutdown = explainShutdown(view, nowMs)
  const isNodeNews = facts !== undefined && (view.about === 'node' || facts.state !== 'Untouched')
  return {
    about: view.about,
    ...(isNodeNews
      ? { node: { ...explainNode(facts, leaving), ...(shutdown === undefined ? {} : { shutdown }) } }
      : {}),
    pods: [...shown, ...gone].toSorted(byUrgency),
  }
}

function explainPod(
  pod: Pod,
  evacuation: Evacuation | undefined,
  facts: NodeFacts | undefined,
  nowMs: number,
): PodReport {
  const nodeName = pod.spec?.nodeName
  const about = { ...podRefOf(pod), ...(nodeName === undefined || nodeName === '' ? {} : { nodeName }) }
  const askedForBy = evacuation === undefined ? [] : instigatorsOf(evacuation)
  const note = evacuation === undefined ? undefined : noteOf(evacuation)
  const asked = {
    ...about,
    ...(askedForBy.length === 0 ? {} : { askedForBy }),
    ...(note === undefined ? {} : { strategy: `${note.profile}/${note.strategy}` }),
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { ...asked, ...explainTerminating(pod, silenceSeen(facts, evacuation), nowMs) }
  }
  if (evacuation?.metadata.deletionTimestamp !== undefined) {
    return { ...asked, ...explainEnding(evacuation, drainsThatWant(pod, facts)) }
  }
  if (evacuation !== undefined) {
    const cancellation = explainCancellation(evacuation)
    const explained = explainEvacuation(evacuation, pod, nowMs)
    return { ...asked, ...explained, ...(cancellation === undefined ? {} : { cancellation }) }
  }
  return { ...about, ...explainPlanned(pod, facts) }
}

/** For a user who may not read nodes it comes from the Evacuation. */
function silenceSeen(facts: NodeFacts | undefined, evacuation: Evacuation | undefined): NodeSilence | undefined {
  if (facts !== undefined || evacuation === undefined) return facts?.silence
  const blocker = blockerOf(evacuation)
  return blocker?.kind === 'silentNode' ? blocker : undefined
}

function keyOf({ metadata }: Evacuation): string {
  return `${metadata.namespace}/${metadata.name}`
}

const ranks: Readonly<Record<Phase, number>> = {
  Blocked: 0,
  Terminating: 1,
  Evacuating: 2,
  Pending: 3,
  Held: 4,
  Staying: 5,
  Unaffected: 6,
  Gone: 7,
}

/** Those that need manual action first; within a phase, those that waited longest. */
export function byUrgency(a: PodReport, b: PodReport): number {
  if (a.phase !== b.phase) return ranks[a.phase] - ranks[b.phase]
  const left = `${a.since ?? ''} ${a.namespace}/${a.name}`
  const right = `${b.since ?? ''} ${b.namespace}/${b.name}`
  return left < right ? -1 : 1
}
