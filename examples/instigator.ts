// An instigator: asks for pods to leave, and can withdraw that.
import {
  requestEvacuation,
  requestUntilGone,
  withdrawEvacuation,
  type Connection,
  type Kube,
  type PodRef,
} from 'lifeboat/sdk'

const instigator = 'descheduler.example.com'

/** Returns the outcome of the request. It is safe to repeat. */
export async function moveAway(kube: Kube, pod: PodRef): Promise<string> {
  const outcome = await requestEvacuation(kube, { instigator, pod })
  switch (outcome.kind) {
    case 'requested':
      return `see kubectl get evacuation ${outcome.evacuation.metadata.name}`
    case 'podGone':
      return 'the pod is gone already'
    case 'beingCancelled':
      return 'its Evacuation was deleted and is being undone: ask again once it is gone'
    case 'refused':
      return `it cannot be asked for: ${outcome.message}`
  }
}

/** Resolves when the pod is gone, even if its Evacuation is deleted several times. */
export async function moveAwayForGood(connection: Connection, pod: PodRef, signal: AbortSignal): Promise<boolean> {
  const { kind } = await requestUntilGone({ ...connection, instigator, pod, signal })
  return kind === 'podGone'
}

/** This instigator no longer wants the pod to leave. Other instigators may still want it. */
export async function letStay(kube: Kube, pod: PodRef): Promise<void> {
  await withdrawEvacuation(kube, { instigator, pod })
}
