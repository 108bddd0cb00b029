import type { StartController } from './controller.ts'
import { startDaemonSetController } from './daemon-set/daemon-set.ts'
import { startDeploymentController } from './deployment/deployment.ts'
import { startDisruption } from './disruption/disruption.ts'
import { startEndpointSliceController } from './endpoint-slice/endpoint-slice.ts'
import { startGarbageCollector } from './garbage-collector/garbage-collector.ts'
import { startHorizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { startJobController } from './job/job.ts'
import { startKubelet } from './kubelet/kubelet.ts'
import { startNamespaceController } from './namespace/namespace.ts'
import { startNodeLifecycleController } from './node-lifecycle/node-lifecycle.ts'
import { startPodGarbageCollector } from './node-lifecycle/pod-garbage-collector.ts'
import { startTaintEvictionController } from './node-lifecycle/taint-eviction.ts'
import { startReplicaSetController } from './replica-set/replica-set.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import { startStatefulSetController } from './stateful-set/stateful-set.ts'

/** Those that are one process on a real cluster, and start again together. */
export const controllerManager: readonly StartController[] = [
  startNamespaceController,
  startDeploymentController,
  startReplicaSetController,
  startStatefulSetController,
  startDaemonSetController,
  startJobController,
  startHorizontalPodAutoscalerController,
  startEndpointSliceController,
  startNodeLifecycleController,
  startTaintEvictionController,
  startPodGarbageCollector,
  startDisruption,
  startGarbageCollector,
]

/** All controllers of the embedded cluster. */
export const controllers: readonly StartController[] = [...controllerManager, startScheduler, startKubelet]
