/** A pod's spec, wherever it stands: in a pod, or in the template of a workload. */
export interface PodSpec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly [field: string]: unknown
}

export interface Container {
  readonly name?: string
  readonly image?: string
  readonly ports?: readonly { readonly protocol?: string }[]
  readonly [field: string]: unknown
}

const podDefaults = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
}

const containerDefaults = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
}

/** What the server fills into a pod's spec when it is left out. */
export function withPodDefaults(spec: PodSpec): PodSpec {
  const containers = spec.containers?.map(withContainerDefaults)
  const initContainers = spec.initContainers?.map(withContainerDefaults)
  return {
    ...podDefaults,
    ...spec,
    ...(containers === undefined ? {} : { containers }),
    ...(initContainers === undefined ? {} : { initContainers }),
  }
}

function withContainerDefaults(container: Container): Container {
  const ports = container.ports?.map((port) => ({ protocol: 'TCP', ...port }))
  return {
    ...containerDefaults,
    // A tag that moves, or none, is pulled anew each time.
    imagePullPolicy: /(^[^:@]*|:latest)$/.test(container.image ?? '') ? 'Always' : 'IfNotPresent',
    ...container,
    ...(ports === undefined ? {} : { ports }),
  }
}
