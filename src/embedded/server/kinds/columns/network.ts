import type { ColumnDefinition } from '../../definition.ts'
import { age, column, firstOf, labelsText, none, orNone, wideColumn } from './column.ts'

interface Service {
  readonly spec?: {
    readonly type?: string
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly externalIPs?: readonly string[]
    readonly externalName?: string
    readonly ports?: readonly { readonly port: number; readonly nodePort?: number; readonly protocol?: string }[]
    readonly selector?: Readonly<Record<string, string>>
  }
}

export const serviceColumns: readonly ColumnDefinition[] = [
  column<Service>('Type', 'From where it can be reached.', ({ spec }) => spec?.type ?? ''),
  column<Service>('Cluster-IP', 'Its address in the cluster.', ({ spec }) =>
    orNone(spec?.clusterIPs?.[0] ?? spec?.clusterIP),
  ),
  column<Service>('External-IP', 'Its address outside.', ({ spec }) => {
    if (spec?.type === 'ExternalName') return spec.externalName ?? ''
    const addresses = spec?.externalIPs ?? []
    if (addresses.length > 0) return addresses.join(',')
    return spec?.type === 'LoadBalancer' ? '<pending>' : none
  }),
  column<Service>('Port(s)', 'Where it listens.', ({ spec }) => {
    const ports = (spec?.ports ?? []).map(({ port, nodePort = 0, protocol = 'TCP' }) =>
      nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
    )
    return orNone(ports.join(','))
  }),
  age,
  wideColumn<Service>('Selector', 'Which pods are behind it.', ({ spec }) => labelsText(spec?.selector)),
]

interface Endpoints {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[]
    readonly ports?: readonly { readonly port: number }[]
  }[]
}

const shownMax = 3

export const endpointsColumns: readonly ColumnDefinition[] = [
  column<Endpoints>('Endpoints', 'Addresses of the pods behind it.', ({ subsets = [] }) => {
    const texts = subsets.flatMap(({ addresses = [], ports = [] }) =>
      ports.length === 0
        ? addresses.map(({ ip }) => ip)
        : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip}:${port}`)),
    )
    return firstOf(texts, shownMax)
  }),
  age,
]

interface EndpointSlice {
  readonly addressType?: string
  readonly ports?: readonly { readonly port?: number }[]
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[]
}

export const endpointSliceColumns: readonly ColumnDefinition[] = [
  column<EndpointSlice>('AddressType', 'IPv4, IPv6 or names.', ({ addressType }) => addressType ?? ''),
  column<EndpointSlice>('Ports', 'Where the pods listen.', ({ ports }) =>
    ports === undefined || ports.length === 0
      ? '<unset>'
      : firstOf(
          ports.map(({ port }) => String(port ?? '*')),
          shownMax,
        ),
  ),
  column<EndpointSlice>('Endpoints', 'Addresses of the pods.', ({ endpoints }) =>
    endpoints === undefined || endpoints.length === 0
      ? '<unset>'
      : firstOf(
          endpoints.flatMap(({ addresses = [] }) => addresses),
          shownMax,
        ),
  ),
  age,
]
