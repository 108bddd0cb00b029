// What `lifeboat/sdk` offers to authors of evacuators and instigators, and all that it promises to keep.

export { claimPod, evacuatorAnnotations, unclaimPod, type ClaimOutcome, type UnclaimOutcome } from './claim.ts'
export { EvacuatorLoop, runEvacuator, type EvacuatorLoopOptions } from './evacuator-loop.ts'
export type { CancelResult, Completed, Evacuator, Evict, StepResult, Turn, Waiting, Working } from './evacuator.ts'
export type { Events } from './events.ts'
export {
  requestEvacuation,
  withdrawEvacuation,
  type RequestOutcome,
  type WithdrawOutcome,
} from '../evacuation-client/request-evacuation.ts'
export type { EvacuationRequest, EvacuationWish } from '../evacuation-client/build-evacuation.ts'
export { requestUntilGone, type LastingRequest } from '../evacuation-client/request-until-gone.ts'
export { connect, type ConnectOptions, type Connection } from './sdk-connect.ts'
export { TurnEnded, type TurnEnd } from './turn-ended.ts'

export type { Blocker } from '../api/blocker/blocker.ts'
export { evacuationName } from '../api/evacuation/evacuation-name.ts'
export {
  evacuations,
  type Evacuation,
  type EvacuationSpec,
  type EvacuationStatus,
} from '../api/evacuation/evacuation.ts'
export type { Evacuator as EvacuatorRegistration } from '../api/evacuation/evacuator.ts'
export { instigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
export type { Pod } from '../api/kubernetes/core.ts'
export type { KubernetesObject, New } from '../api/kubernetes/meta.ts'
export { pods, type Resource } from '../api/kubernetes/resources.ts'
export { podRefOf, podRefOfEvacuation, type PodRef } from '../api/evacuation/pod-reference.ts'

export { Kube } from '../kube/client/client.ts'
export { isKubeError, KubeError, type KubeErrorKind } from '../kube/client/errors.ts'
export { Informer, type InformerOptions } from '../kube/watch/informer.ts'
export { LeaderElection, type LeaderElectionOptions } from '../kube/lease/leader-election.ts'
export { noKubeMetrics, type KubeMetrics } from '../kube/metrics.ts'

export { sleep, type Clock } from '../runtime/clock.ts'
export { silentLog, type Log } from '../runtime/log.ts'
export type { Random } from '../runtime/random.ts'
