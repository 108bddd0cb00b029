// Wants pods gone, and changes its mind.
import {
  requestEvacuation,
  requestUntilGone,
  withdrawEvacuation,
  type Connection,
  type Kube,
  type PodRef,
} from 'lifeboat/sdk'

const instigator = 'descheduler.example.com'

/** Says what became of the wish. It is safe to repeat, as often as one likes. */
export async function moveAway(kube: Kube, pod: PodRef): Promise<string> {
  const outcome = await requestEvacuation(kube, { instigator, pod })
  switch (outcome.kind) {
    case 'requested':
      return `see kubectl get evacuation ${outcome.evacuation.metadata.name}`
    case 'podGone':
      return 'the pod is gone already'
    case 'beingCancelled':
      return 'somebody deleted its Evacuation, which is being undone: ask again once it is gone'
    case 'refused':
      return `it cannot be asked for: ${outcome.message}`
  }
}

/** Resolves when the pod is gone, however often somebody deletes its Evacuation. */
export async function moveAwayForGood(connection: Connection, pod: PodRef, signal: AbortSignal): Promise<boolean> {
  const { kind } = await requestUntilGone({ ...connection, instigator, pod, signal })
  return kind === 'podGone'
}

/** The pod may stay, as far as we are concerned. Others may still want it gone. */
export async function letStay(kube: Kube, pod: PodRef): Promise<void> {
  await withdrawEvacuation(kube, { instigator, pod })
}
