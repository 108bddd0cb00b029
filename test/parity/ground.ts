import { setTimeout as pause } from 'node:timers/promises'
import { runCycle } from '../../src/descheduler/cycle.ts'
import { ClusterWatch } from '../../src/descheduler/cluster-watch.ts'
import { createEvictor } from '../../src/descheduler/evictor/default-evictor.ts'
import { breath } from '../../src/descheduler/plugin.ts'
import { pluginTable } from '../../src/descheduler/plugins/plugin-table.ts'
import { parsePolicy } from '../../src/descheduler/policy/parse-policy.ts'
import type { Policy } from '../../src/descheduler/policy/policy.ts'
import { renderPolicyProblem } from '../../src/descheduler/policy/problem.ts'
import { valueOf, type PriorityValues } from '../../src/descheduler/priority-thresholds.ts'
import { nothingStands } from '../../src/descheduler/standing.ts'
import type { ClusterView } from '../../src/descheduler/view.ts'
import type { Method, Transport } from '../../src/kube/transport.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { noMetrics } from '../build/descheduler-view.ts'
import { buildKube } from '../build/kube.ts'
import { buildBinaries } from '../cluster/build.ts'
import { startCluster, type Cluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import {
  buildCaseNode,
  buildCasePod,
  buildCasePolicy,
  buildCaseStatus,
  classOf,
  namespaceOf,
  priorityClassValues,
  type CasePlace,
} from './build-objects.ts'
import type { ParityCase } from './case.ts'
import { runUpstream, type Nominated } from './upstream.ts'

export interface Comparison {
  readonly upstream: readonly string[]
  readonly ours: readonly string[]
}

const merge = { 'content-type': 'application/merge-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

/** An API server with etcd and nothing else: what a case says about a pod stays true. */
export class ParityGround implements AsyncDisposable {
  readonly #cluster: Cluster
  readonly #binary: string
  readonly #transport: Transport
  readonly #watch: ClusterWatch
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>
  #count = 0

  private constructor(cluster: Cluster, binary: string, transport: Transport) {
    this.#cluster = cluster
    this.#binary = binary
    this.#transport = transport
    const parts = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
    const everything = { namespaces: true, budgets: true, claims: true, priorityClasses: [], hasEvacuations: false }
    this.#watch = new ClusterWatch({ ...parts, kube: buildKube(transport, systemClock) }, everything)
    this.#watching = this.#watch.run(this.#stop.signal)
  }

  static async open(): Promise<ParityGround> {
    const binary = (await buildBinaries('descheduler')).get('descheduler') ?? ''
    const cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
    const ground = new ParityGround(cluster, binary, await connectTransport(cluster))
    for (const value of priorityClassValues) {
      await ground.#send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
        metadata: { name: classOf(value) },
        value,
      })
    }
    await ground.#watch.synced()
    return ground
  }

  /** Which pods both would send away, as `namespace/name on node` without what is the same in all of a case. */
  async compare(parityCase: ParityCase): Promise<Comparison> {
    const place = { id: `case-${++this.#count}` }
    await this.#arrange(place, parityCase)
    try {
      const policy = buildCasePolicy(place, parityCase)
      const { kubeconfigPath, folder } = this.#cluster
      const [upstream, ours] = await Promise.all([
        runUpstream(policy, { binary: this.#binary, kubeconfigPath, folder, id: place.id }),
        this.#runOurs(policy, place, parityCase),
      ])
      const plain = ({ namespace, name, node }: Nominated) =>
        `${namespace}/${name} on ${node}`.replaceAll(place.id, 'NS')
      return { upstream: upstream.map(plain).toSorted(), ours: ours.map(plain).toSorted() }
    } finally {
      await this.#clear(place, parityCase)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('all cases are told'))
    await this.#watching
    await this.#transport.close()
    await this.#cluster[Symbol.asyncDispose]()
  }

  async #arrange(
    place: CasePlace,
    { nodes, pods, budgets = [], claims = [], namespaceLabels }: ParityCase,
  ): Promise<void> {
    const labels = namespaceLabels ?? {}
    const namespaces = ['', ...(pods.some(({ other }) => other === true) ? ['-other'] : [])]
    await Promise.all(
      namespaces.map((end) =>
        this.#send('POST', '/api/v1/namespaces', { metadata: { name: `${place.id}${end}`, labels } }),
      ),
    )
    await Promise.all([
      ...nodes.map((node) => this.#arrangeNode(place, node)),
      ...budgets.map(({ name, matchLabels }) =>
        this.#send('POST', `/apis/policy/v1/namespaces/${place.id}/poddisruptionbudgets`, {
          metadata: { name },
          spec: { minAvailable: 0, selector: { matchLabels } },
        }),
      ),
      ...claims.map(({ name, storageClass }) =>
        this.#send('POST', `/api/v1/namespaces/${place.id}/persistentvolumeclaims`, {
          metadata: { name },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
          },
        }),
      ),
    ])
    await Promise.all(pods.map((pod) => this.#arrangePod(place, pod)))
  }

  async #arrangeNode(place: CasePlace, node: ParityCase['nodes'][number]): Promise<void> {
    const object = buildCaseNode(place, node)
    const path = `/api/v1/nodes/${object.metadata.name}`
    await this.#send('POST', '/api/v1/nodes', object)
    // The API server takes a new node for one that is not ready, and taints it.
    await this.#send('PATCH', path, { spec: object.spec }, merge)
    await this.#send('PATCH', `${path}/status`, { status: object.status }, strategic)
  }

  async #arrangePod(place: CasePlace, pod: ParityCase['pods'][number]): Promise<void> {
    const pods = `/api/v1/namespaces/${namespaceOf(place, pod)}/pods`
    await this.#send('POST', pods, buildCasePod(place, pod))
    await this.#send('PATCH', `${pods}/${pod.name}/status`, { status: buildCaseStatus(pod) }, strategic)
    if (pod.terminating === true) await this.#send('DELETE', `${pods}/${pod.name}`, { gracePeriodSeconds: 0 })
  }

  async #runOurs(policy: object, place: CasePlace, parityCase: ParityCase): Promise<Nominated[]> {
    const read = parsePolicy(JSON.stringify(policy))
    if ('problems' in read) throw new Error(read.problems.map(renderPolicyProblem).join('; '))
    return nominatedIn(await this.#viewOf(place, parityCase), read.policy)
  }

  /** Once the watch has everything. */
  async #viewOf(place: CasePlace, { nodes, pods }: ParityCase): Promise<ClusterView> {
    for (let tries = 0; tries < 200; tries++) {
      const view = this.#watch.view(Date.now(), noMetrics)
      const own = view.pods.filter(({ nodeName }) => nodeName.startsWith(`${place.id}-`))
      const isThere =
        own.length === pods.length &&
        own.every(({ phase, startedMs }) => phase !== undefined && startedMs !== undefined) &&
        own.filter(({ isTerminating }) => isTerminating).length ===
          pods.filter(({ terminating }) => terminating).length &&
        view.nodes.filter(({ name, allocatable }) => name.startsWith(`${place.id}-`) && allocatable.size > 0).length ===
          nodes.length
      if (isThere) return view
      await pause(20)
    }
    throw new Error('the watch does not show what was arranged')
  }

  async #clear(place: CasePlace, { nodes, pods }: ParityCase): Promise<void> {
    for (const pod of pods.filter(({ terminating }) => terminating)) {
      const path = `/api/v1/namespaces/${namespaceOf(place, pod)}/pods/${pod.name}`
      await this.#transport.request({ method: 'PATCH', path, body: { metadata: { finalizers: null } }, headers: merge })
    }
    const now = { gracePeriodSeconds: 0 }
    const namespaces = new Set(pods.map((pod) => namespaceOf(place, pod)))
    await Promise.all([
      ...[...namespaces].map((namespace) => this.#send('DELETE', `/api/v1/namespaces/${namespace}/pods`, now)),
      ...nodes.map(({ name }) => this.#send('DELETE', `/api/v1/nodes/${place.id}-${name}`, now)),
    ])
  }

  async #send(
    method: Method,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const answer = await this.#transport.request({ method, path, body, headers })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  }
}

const priorities: PriorityValues = new Map(priorityClassValues.map((value) => [classOf(value), value]))

/** What a cycle of ours names if everybody leaves who is asked to. */
function nominatedIn(view: ClusterView, policy: Policy): Nominated[] {
  const cycle = runCycle({
    view,
    policy,
    standing: nothingStands,
    plugins: pluginTable,
    evictorFor: ({ defaultEvictor }, state) =>
      createEvictor(defaultEvictor, {
        view,
        state,
        priorityThreshold: valueOf(defaultEvictor.priorityThreshold, priorities),
        isByEvacuation: false,
      }),
  })
  const found: Nominated[] = []
  for (let next = cycle.next(); next.done !== true;) {
    const step = next.value
    if (step === breath || step.kind === 'begins') next = cycle.next()
    else {
      const { namespace, name, nodeName } = step.pod
      found.push({ namespace, name, node: nodeName })
      next = cycle.next({ kind: 'requested' })
    }
  }
  return found
}
