import type { PluginTable } from '../cycle/cycle.ts'
import { highNodeUtilization } from './high-node-utilization.ts'
import { interPodAntiAffinity } from './inter-pod-anti-affinity.ts'
import { lowNodeUtilization } from './low-node-utilization.ts'
import { nodeAffinity } from './node-affinity.ts'
import { nodeTaints } from './node-taints.ts'
import { podLifeTime } from './pod-life-time.ts'
import { removeDuplicates } from './remove-duplicates.ts'
import { removeFailedPods } from './remove-failed-pods.ts'
import { tooManyRestarts } from './too-many-restarts.ts'
import { topologySpread } from './topology-spread.ts'

/** Every plugin that names pods, by upstream's name. DefaultEvictor, which protects them, is in evictor/. */
export const pluginTable: PluginTable = {
  PodLifeTime: podLifeTime,
  RemoveFailedPods: removeFailedPods,
  RemovePodsHavingTooManyRestarts: tooManyRestarts,
  RemovePodsViolatingNodeTaints: nodeTaints,
  RemovePodsViolatingNodeAffinity: nodeAffinity,
  RemovePodsViolatingInterPodAntiAffinity: interPodAntiAffinity,
  RemoveDuplicates: removeDuplicates,
  LowNodeUtilization: lowNodeUtilization,
  HighNodeUtilization: highNodeUtilization,
  RemovePodsViolatingTopologySpreadConstraint: topologySpread,
}
