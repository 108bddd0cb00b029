import { isInTrouble } from '../../node-labels.ts'
import type { Node } from '../objects.ts'

const capacityDefault = { cpu: '32', memory: '256Gi', pods: '110' }

const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
const trouble = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'container runtime is down',
}

const pressures: readonly { type: string; status: string; reason: string; message: string }[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
]

const nodeInfo = {
  architecture: 'amd64',
  operatingSystem: 'linux',
  kubeletVersion: 'v1.37.1',
  kubeProxyVersion: '',
  containerRuntimeVersion: 'lifeboat://embedded',
  kernelVersion: 'lifeboat',
  osImage: 'lifeboat',
  bootID: '',
  machineID: '',
  systemUUID: '',
}

/** Whether the status says what the kubelet has to say: that it is ready, or that it is in trouble. */
export function hasReported(node: Node): boolean {
  const wanted = isInTrouble(node) ? 'False' : 'True'
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === wanted) ?? false
}

/** What a kubelet reports when it starts, or when there is something new to report. What the node came with stays. */
export function buildNodeStatus(node: Node, now: string, address: string): object {
  const { metadata, status } = node
  const { capacity = capacityDefault } = status ?? {}
  const before = status?.conditions ?? []
  const reported = isInTrouble(node) ? [trouble, ...pressures] : [ready, ...pressures]
  const conditions = reported.map((condition) => {
    const known = before.find(({ type }) => type === condition.type)
    const lastTransitionTime = known?.status === condition.status ? (known.lastTransitionTime ?? now) : now
    return { ...condition, lastHeartbeatTime: now, lastTransitionTime }
  })
  const others = before.filter(({ type }) => !reported.some((condition) => condition.type === type))
  return {
    ...status,
    capacity,
    allocatable: status?.allocatable ?? capacity,
    addresses: status?.addresses ?? [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: metadata.name },
    ],
    nodeInfo: (status?.nodeInfo?.kubeletVersion ?? '') === '' ? nodeInfo : status?.nodeInfo,
    conditions: [...others, ...conditions],
  }
}
