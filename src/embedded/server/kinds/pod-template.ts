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

const portDefaults = { protocol: 'TCP' }

/** What the server fills into a pod's spec when it is left out. */
export function withPodDefaults(spec: PodSpec): PodSpec {
  const filled = withDefaults(podDefaults, spec)
  const containers = mapKeeping(spec.containers, withContainerDefaults)
  const initContainers = mapKeeping(spec.initContainers, withContainerDefaults)
  if (containers === filled.containers && initContainers === filled.initContainers) return filled
  return {
    ...filled,
    ...(containers === undefined ? {} : { containers }),
    ...(initContainers === undefined ? {} : { initContainers }),
  }
}

/** The value itself where nothing is missing: who compares by identity sees that nothing changed. */
export function withDefaults<T extends object>(defaults: object, value: T): T {
  return Object.keys(defaults).every((key) => Object.hasOwn(value, key)) ? value : { ...defaults, ...value }
}

/** The list itself where no item changes. */
export function mapKeeping<T>(list: readonly T[] | undefined, change: (item: T) => T): readonly T[] | undefined {
  const changed = list?.map(change)
  return changed?.every((item, at) => item === list?.[at]) === true ? list : changed
}

function withContainerDefaults(container: Container): Container {
  const ports = mapKeeping(container.ports, (port) => withDefaults(portDefaults, port))
  const filled = withDefaults(containerDefaults, withPullPolicy(container))
  return ports === filled.ports ? filled : { ...filled, ...(ports === undefined ? {} : { ports }) }
}

/** A tag that moves, or none, is pulled again each time. */
function withPullPolicy(container: Container): Container {
  if (Object.hasOwn(container, 'imagePullPolicy')) return container
  const imagePullPolicy = /(^[^:@]*|:latest)$/.test(container.image ?? '') ? 'Always' : 'IfNotPresent'
  return { imagePullPolicy, ...container }
}
