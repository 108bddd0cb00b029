import type { Transport } from '../../src/kube/client/transport.ts'
import { follow } from './follow.ts'

/** What was seen of a workload, at every single change of its pods and of the endpoints of its Service. */
export interface Availability {
  readonly readyPodsMin: number
  readonly podsMax: number
  readonly readyEndpointsMin: number
  /** Everything that spec.replicas of the Deployment was. */
  readonly replicas: readonly number[]
  readonly samples: number
}

export interface Sampler {
  /** Begins anew: what was before does not count. */
  reset(): void
  seen(): Availability
  /** What it saw, oldest first: for whoever wonders how a minimum came about. */
  readonly history: readonly string[]
  stop(): Promise<void>
}

interface Watched {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
}

interface PodWatched extends Watched {
  readonly status?: { readonly phase?: string; readonly conditions?: readonly { type: string; status: string }[] }
}

interface SliceWatched extends Watched {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[] | null
}

interface DeploymentWatched extends Watched {
  readonly spec: { readonly replicas: number }
}

/** By watches, which miss nothing: a poll sees only what lasts. */
export async function startSampler(transport: Transport, namespace: string): Promise<Sampler> {
  const pods = new Map<string, PodWatched>()
  const slices = new Map<string, SliceWatched>()
  const history: string[] = []
  const replicas = new Set<number>()
  const lows = { pods: Number.POSITIVE_INFINITY, endpoints: Number.POSITIVE_INFINITY }
  const state = { podsMax: 0, samples: 0 }
  const readyPods = () => [...pods.values()].filter(isReady).length
  const podsThere = () => [...pods.values()].filter(isActive).length
  const readyEndpoints = () => [...slices.values()].reduce((sum, slice) => sum + readyIn(slice), 0)
  const samplePods = () => {
    state.samples++
    lows.pods = Math.min(lows.pods, readyPods())
    state.podsMax = Math.max(state.podsMax, podsThere())
    history.push(`${podsThere()} pods, ${readyPods()} ready`)
  }
  const sampleEndpoints = () => {
    state.samples++
    lows.endpoints = Math.min(lows.endpoints, readyEndpoints())
    history.push(`${readyEndpoints()} ready endpoints`)
  }
  const followInto = <T extends Watched>(path: string, into: Map<string, T>, sample: () => void) =>
    follow(transport, path, (type, object) => {
      const seen = object as T
      if (type === 'DELETED') into.delete(seen.metadata.name)
      else into.set(seen.metadata.name, seen)
      sample()
    })
  const deployments = new Map<string, DeploymentWatched>()
  const noteReplicas = () => {
    for (const { spec } of deployments.values()) replicas.add(spec.replicas)
  }
  const followings = await Promise.all([
    followInto(`/api/v1/namespaces/${namespace}/pods`, pods, samplePods),
    followInto(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, slices, sampleEndpoints),
    followInto(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployments, noteReplicas),
  ])
  return {
    history,
    reset: () => {
      lows.pods = readyPods()
      lows.endpoints = readyEndpoints()
      state.podsMax = podsThere()
      state.samples = 0
      replicas.clear()
      noteReplicas()
      history.push('--')
    },
    seen: () => ({
      readyPodsMin: lows.pods,
      podsMax: state.podsMax,
      readyEndpointsMin: lows.endpoints,
      replicas: [...replicas],
      samples: state.samples,
    }),
    stop: async () => void (await Promise.all(followings.map((following) => following.stop()))),
  }
}

function isActive({ metadata, status }: PodWatched): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded'
}

function isReady(pod: PodWatched): boolean {
  const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  return ready && isActive(pod)
}

function readyIn({ endpoints }: SliceWatched): number {
  return (endpoints ?? []).filter(({ conditions }) => conditions?.ready === true).length
}
