import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { Node, Pod, Service } from '../objects.ts'
import { isFinished, isReady, isTerminating } from '../pod-status.ts'

/** More than this many endpoints begin another slice. */
export const endpointsPerSliceMax = 100

export interface EndpointsView {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly nodeOf: (name: string) => Node | undefined
}

interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean }
  readonly nodeName: string
  readonly zone?: string
  readonly targetRef: object
}

export interface Slice {
  readonly endpoints: readonly Endpoint[]
  readonly ports: readonly object[]
}

/** The pods behind a Service, those on their way out included, as endpoint slices have them. */
export function buildSlices(view: EndpointsView): Slice[] {
  const pods = podsBehind(view)
  const ports = slicePorts(view.service, pods)
  const endpoints = pods.map((pod) => endpointOf(pod, view))
  const slices: Slice[] = []
  // A Service without pods has one empty slice.
  do {
    slices.push({ endpoints: endpoints.splice(0, endpointsPerSliceMax), ports })
  } while (endpoints.length > 0)
  return slices
}

/** The older form: one object, those that are ready apart from those that are not. */
export function buildSubsets(view: EndpointsView): object[] {
  const pods = podsBehind(view).filter((pod) => !isTerminating(pod))
  if (pods.length === 0) return []
  const publishes = view.service.spec?.publishNotReadyAddresses === true
  const addressOf = ({ metadata, spec, status }: Pod) => ({
    ip: status?.podIP,
    nodeName: spec?.nodeName,
    targetRef: { kind: 'Pod', namespace: metadata.namespace, name: metadata.name, uid: metadata.uid },
  })
  const addresses = pods.filter((pod) => publishes || isReady(pod)).map(addressOf)
  const notReadyAddresses = pods.filter((pod) => !publishes && !isReady(pod)).map(addressOf)
  return [
    {
      ...(addresses.length === 0 ? {} : { addresses }),
      ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
      ports: slicePorts(view.service, pods),
    },
  ]
}

function podsBehind({ service, pods }: EndpointsView): Pod[] {
  const selector = { matchLabels: service.spec?.selector ?? {} }
  return pods
    .filter(
      (pod) =>
        !isFinished(pod) && (pod.status?.podIP ?? '') !== '' && matchesLabelSelector(selector, pod.metadata.labels),
    )
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
}

function endpointOf(pod: Pod, { service, nodeOf }: EndpointsView): Endpoint {
  const terminating = isTerminating(pod)
  const serving = isReady(pod)
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating)
  const nodeName = pod.spec?.nodeName ?? ''
  const zone = nodeOf(nodeName)?.metadata.labels?.['topology.kubernetes.io/zone']
  const { namespace, name, uid } = pod.metadata
  return {
    addresses: [pod.status?.podIP ?? ''],
    conditions: { ready, serving, terminating },
    nodeName,
    ...(zone === undefined ? {} : { zone }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

function slicePorts({ spec }: Service, pods: readonly Pod[]): object[] {
  return (spec?.ports ?? []).map((port) => slicePort(port, pods))
}

/** A port named by its container's port is looked up in the first pod that has it. */
function slicePort(declared: NonNullable<NonNullable<Service['spec']>['ports']>[number], pods: readonly Pod[]): object {
  const { name, protocol, port, targetPort = port, appProtocol } = { name: '', protocol: 'TCP', ...declared }
  const number = typeof targetPort === 'number' ? targetPort : (namedPort(pods, targetPort) ?? port)
  return { name, protocol, port: number, ...(appProtocol === undefined ? {} : { appProtocol }) }
}

function namedPort(pods: readonly Pod[], name: string): number | undefined {
  const declared = pods.flatMap(({ spec }) => spec?.containers ?? []).flatMap(({ ports = [] }) => ports)
  return declared.find((port) => port.name === name)?.containerPort
}
