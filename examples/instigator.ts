// Wants pods gone, and changes its mind.
import { requestEvacuation, withdrawEvacuation, type Kube, type PodRef } from 'lifeboat/sdk'

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
      return 'an earlier evacuation of the pod is being undone: try again later'
    case 'refused':
      return `it cannot be asked for: ${outcome.message}`
  }
}

/** The pod may stay, as far as we are concerned. Others may still want it gone. */
export async function letStay(kube: Kube, pod: PodRef): Promise<void> {
  await withdrawEvacuation(kube, { instigator, pod })
}
