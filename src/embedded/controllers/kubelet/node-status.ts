import type { Node } from '../objects.ts'

const capacityDefault = { cpu: '32', memory: '256Gi', pods: '110' }

const healthy: readonly { type: string; status: string; reason: string; message: string }[] = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
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

/** A node whose kubelet stopped: nothing renews its lease, starts its pods or ends them. */
export function isDead({ metadata }: Node): boolean {
  return metadata.annotations?.['lifeboat.test/node-dies'] === 'true'
}

export function reportsReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false
}

/** What a kubelet reports when it starts, or when it can report again. What the node came with stays. */
export function buildNodeStatus({ metadata, status }: Node, now: string, address: string): object {
  const { capacity = capacityDefault } = status ?? {}
  const before = status?.conditions ?? []
  const conditions = healthy.map((condition) => {
    const known = before.find(({ type }) => type === condition.type)
    const lastTransitionTime = known?.status === condition.status ? (known.lastTransitionTime ?? now) : now
    return { ...condition, lastHeartbeatTime: now, lastTransitionTime }
  })
  const others = before.filter(({ type }) => !healthy.some((condition) => condition.type === type))
  return {
    ...status,
    capacity,
    allocatable: status?.allocatable ?? capacity,
    addresses: status?.addresses ?? [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: metadata.name ?? '' },
    ],
    nodeInfo: (status?.nodeInfo?.kubeletVersion ?? '') === '' ? nodeInfo : status?.nodeInfo,
    conditions: [...others, ...conditions],
  }
}
