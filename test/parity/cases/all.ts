import type { KnownCase } from '../case.ts'
import { antiAffinityCases } from './anti-affinity.ts'
import { defaultEvictorCases } from './default-evictor.ts'
import { duplicatesCases } from './duplicates.ts'
import { edgeCases } from './edges.ts'
import { limitsCases } from './limits.ts'
import { measuredUtilizationCases } from './measured-utilization.ts'
import { nodeFitCases } from './node-fit.ts'
import { nodeAffinityCases, nodeTaintsCases } from './node-rules.ts'
import { failedPodsCases, restartCases } from './pod-failures.ts'
import { podLifeTimeCases } from './pod-life-time.ts'
import { topologySpreadCases } from './topology-spread.ts'
import { highNodeUtilizationCases, lowNodeUtilizationCases } from './utilization.ts'

export const knownCases: Readonly<Record<string, readonly KnownCase[]>> = {
  DefaultEvictor: defaultEvictorCases,
  'DefaultEvictor with nodeFit': nodeFitCases,
  limits: limitsCases,
  edges: edgeCases,
  PodLifeTime: podLifeTimeCases,
  RemoveFailedPods: failedPodsCases,
  RemovePodsHavingTooManyRestarts: restartCases,
  RemovePodsViolatingNodeTaints: nodeTaintsCases,
  RemovePodsViolatingNodeAffinity: nodeAffinityCases,
  RemovePodsViolatingInterPodAntiAffinity: antiAffinityCases,
  RemoveDuplicates: duplicatesCases,
  LowNodeUtilization: lowNodeUtilizationCases,
  'LowNodeUtilization by measure': measuredUtilizationCases,
  HighNodeUtilization: highNodeUtilizationCases,
  RemovePodsViolatingTopologySpreadConstraint: topologySpreadCases,
}
