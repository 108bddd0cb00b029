import type { Evacuation } from '../../src/api/evacuation/evacuation.ts'
import type { Node, Pod } from '../../src/api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../src/api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../src/api/kubernetes/node-selector.ts'
import type { Method } from '../../src/kube/client/transport.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { openLifeboatGround, type LifeboatGround, type OpenedManager } from '../build/lifeboat.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { slowTransport } from '../build/slow-transport.ts'
import {
  maintenanceNames,
  nodeNames,
  priorities,
  type Act,
  type MaintenanceStory,
  type Selection,
} from './draw-maintenances.ts'

const paths = {
  nodes: '/api/v1/nodes',
  pods: '/api/v1/namespaces/default/pods',
  classes: '/apis/scheduling.k8s.io/v1/priorityclasses',
  maintenances: '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances',
  evacuations: '/apis/evacuation.coordination.k8s.io/v1alpha1/evacuations',
  lease: `/apis/coordination.k8s.io/v1/namespaces/${installation.namespace}/leases/${installation.lease}`,
}

/** Whoever has it stays until somebody takes it away. */
const held = 'evacuation.coordination.k8s.io/priority_patience.example.com'
const limits = { nodesReadyMs: 3_000, quietMs: 70_000, drainsWithinSeconds: 90 }

/** Tells a story, and returns what went wrong: what is left behind, who was hurt, what could not be drained after it. */
export async function tellMaintenances(story: MaintenanceStory): Promise<string[]> {
  await using teller = await Teller.open(story)
  for (const pod of story.pods) await teller.perform(pod)
  for (const { act, thenMs } of story.acts) {
    await teller.perform(act)
    await teller.ground.pass(thenMs)
    await teller.noteDrains()
  }
  for (const name of maintenanceNames) await teller.perform({ kind: 'delete', name })
  await teller.ground.pass(limits.quietMs)
  const wrong = [...(await teller.leftBehind()), ...(await teller.uncordoned()), ...(await teller.hurt())]
  return [...wrong, ...(await teller.drainAll())]
}

class Teller implements AsyncDisposable {
  readonly ground: LifeboatGround
  readonly #story: MaintenanceStory
  readonly #put: { readonly name: string; readonly node: string; isTaken: boolean }[] = []
  readonly #drained = new Set<string>()
  /** Where a maintenance ended that never began: it makes its nodes schedulable, whoever cordoned them (KEP-4212). */
  readonly #freed = new Set<string>()
  #opened: OpenedManager | undefined
  #lives = 0

  private constructor(ground: LifeboatGround, story: MaintenanceStory) {
    this.ground = ground
    this.#story = story
  }

  static async open(story: MaintenanceStory): Promise<Teller> {
    const teller = new Teller(await openLifeboatGround(), story)
    await teller.#start()
    for (const [at, name] of nodeNames.entries()) {
      await teller.send('POST', paths.nodes, buildNode({ name, labels: { pool: story.pools[at] ?? '' } }))
    }
    await teller.ground.pass(limits.nodesReadyMs)
    for (const value of priorities) await teller.send('POST', paths.classes, { metadata: { name: `p${value}` }, value })
    for (const name of story.cordoned) {
      await teller.send('PATCH', `${paths.nodes}/${name}`, { spec: { unschedulable: true } })
    }
    return teller
  }

  async #start(): Promise<void> {
    const { slowness } = this.#story
    const life = ++this.#lives
    this.#opened = await this.ground.open({
      identity: `lifeboat-${life}`,
      wrap: (transport) => slowTransport(transport, { clock: this.ground.clock, random: seededRandom(life), slowness }),
    })
    await this.ground.until(this.#opened.manager.ready())
    while (!this.#opened.manager.isLeading()) await this.ground.pass(100)
  }

  async send(method: Method, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    return this.ground.until(
      this.ground.adminTransport.request({ method, path, headers, ...(body === undefined ? {} : { body }) }),
    )
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return ((await this.send('GET', path)).body as { items: T[] }).items
  }

  /** Some acts are refused, as stages that go back are: that is part of it. */
  async perform(act: Act): Promise<void> {
    switch (act.kind) {
      case 'announce':
        return void (await this.send('POST', paths.maintenances, maintenanceOf(act)))
      case 'move':
        if (act.stage === 'Complete') await this.noteEnd(act.name)
        return void (await this.send('PATCH', `${paths.maintenances}/${act.name}`, { spec: { stage: act.stage } }))
      case 'delete':
        await this.noteEnd(act.name)
        return void (await this.send('DELETE', `${paths.maintenances}/${act.name}`))
      case 'label':
        return void (await this.send('PATCH', `${paths.nodes}/${act.node}`, {
          metadata: { labels: { pool: act.pool } },
        }))
      case 'uncordon':
        if (this.#story.cordoned.includes(act.node)) return
        return void (await this.send('PATCH', `${paths.nodes}/${act.node}`, { spec: { unschedulable: null } }))
      case 'put':
        return this.#putPod(act)
      case 'take': {
        const pod = this.#put[act.pod]
        if (pod === undefined) return
        pod.isTaken = true
        return void (await this.send('DELETE', `${paths.pods}/${pod.name}`, { gracePeriodSeconds: 0 }))
      }
      case 'kill':
        this.#opened?.kill()
        await this.send('DELETE', paths.lease)
        return this.#start()
      default:
        return act satisfies never
    }
  }

  async #putPod({ node, isHeld, priority }: Extract<Act, { kind: 'put' }>): Promise<void> {
    const name = `pod${this.#put.length}`
    this.#put.push({ name, node, isTaken: false })
    await this.send('POST', paths.pods, {
      metadata: { name, namespace: 'default', annotations: isHeld ? { [held]: '100' } : {} },
      spec: {
        nodeName: node,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'web:1' }],
        ...(priority === undefined ? {} : { priorityClassName: `p${priority}` }),
      },
    })
  }

  /** Nodes that are to be drained at this moment: pods may leave them from now on. */
  async noteDrains(): Promise<void> {
    const draining = (await this.list<NodeMaintenance>(paths.maintenances)).filter(({ spec }) => spec.stage === 'Drain')
    for (const node of await this.list<Node>(paths.nodes)) {
      if (draining.some(({ spec }) => matchesNodeSelector(spec.nodeSelector, node))) {
        this.#drained.add(node.metadata.name)
      }
    }
  }

  async noteEnd(name: string): Promise<void> {
    const found = (await this.list<NodeMaintenance>(paths.maintenances)).find(({ metadata }) => metadata.name === name)
    if (found?.spec.stage !== 'Idle') return
    // Nodes may change hands before Lifeboat sees it.
    const isByLabel = found.spec.nodeSelector.nodeSelectorTerms.some((term) => term.matchExpressions !== undefined)
    for (const node of await this.list<Node>(paths.nodes)) {
      if (isByLabel || matchesNodeSelector(found.spec.nodeSelector, node)) this.#freed.add(node.metadata.name)
    }
  }

  /** Nodes that an admin had cordoned before, and that are not cordoned any more. */
  async uncordoned(): Promise<string[]> {
    const before = this.#story.cordoned.filter((name) => !this.#freed.has(name))
    const nodes = await this.list<Node>(paths.nodes)
    const lost = nodes.filter(({ metadata, spec }) => {
      return spec?.unschedulable !== true && before.some((name) => name === metadata.name)
    })
    return lost.map(({ metadata }) => `${metadata.name} was cordoned before and is schedulable`)
  }

  async leftBehind(): Promise<string[]> {
    const nodes = await this.list<Node>(paths.nodes)
    const isMarked = ({ metadata: { annotations, labels } }: Node) =>
      Object.keys({ ...annotations, ...labels }).some((key) => key.startsWith('nodemaintenance.k8s.io/'))
    const isCordoned = ({ metadata, spec }: Node) =>
      spec?.unschedulable === true && !this.#story.cordoned.some((name) => name === metadata.name)
    const nameOf = ({ metadata }: { metadata: { name?: string } }) => metadata.name ?? ''
    const left = {
      maintenances: (await this.list<NodeMaintenance>(paths.maintenances)).map(nameOf),
      'marked nodes': nodes.filter(isMarked).map(nameOf),
      'cordoned nodes': nodes.filter(isCordoned).map(nameOf),
      'evacuations of': (await this.list<Evacuation>(paths.evacuations)).map(({ spec }) => spec.podRef.name),
      'terminating pods': (await this.list<Pod>(paths.pods))
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(nameOf),
    }
    return Object.entries(left).flatMap(([what, names]) =>
      names.length === 0 ? [] : [`left behind: ${what} ${names.join(', ')}`],
    )
  }

  /** Pods that are gone, though nobody took them away and nobody drained their node. */
  async hurt(): Promise<string[]> {
    const there = new Set((await this.list<Pod>(paths.pods)).map(({ metadata }) => metadata.name))
    const hurt = this.#put.filter(({ name, node, isTaken }) => !isTaken && !this.#drained.has(node) && !there.has(name))
    return hurt.map(({ name, node }) => `${name} on ${node} is gone`)
  }

  /** Whatever happened, everything can be drained after it; what is held leaves when it is its turn. */
  async drainAll(): Promise<string[]> {
    const selector = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'type', operator: 'Exists' }] }] }
    const body = { ...kindOfMaintenance, metadata: { name: 'last' }, spec: { stage: 'Drain', nodeSelector: selector } }
    await this.send('POST', paths.maintenances, body)
    let message = ''
    for (let second = 0; second < limits.drainsWithinSeconds; second++) {
      await this.ground.pass(1_000)
      for (const { spec } of await this.list<Evacuation>(paths.evacuations)) {
        await this.send('DELETE', `${paths.pods}/${spec.podRef.name}`, { gracePeriodSeconds: 0 })
      }
      const { status } = (await this.send('GET', `${paths.maintenances}/last`)).body as NodeMaintenance
      if (status?.conditions?.some(({ type, status: is }) => type === 'Drained' && is === 'True')) return []
      message = status?.drainStatus.drainMessage ?? ''
    }
    return [`cannot be drained: ${message}`]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ground[Symbol.asyncDispose]()
  }
}

const kindOfMaintenance = { apiVersion: 'nodemaintenance.k8s.io/v1alpha1', kind: 'NodeMaintenance' }

function maintenanceOf({ name, stage, selection, plan }: Extract<Act, { kind: 'announce' }>): object {
  const drainPlan = plan.map((podPriority) => ({ podPriority, podType: 'Default' }))
  return { ...kindOfMaintenance, metadata: { name }, spec: { stage, drainPlan, nodeSelector: selectorOf(selection) } }
}

function selectorOf(selection: Selection): object {
  const term =
    'pool' in selection
      ? { matchExpressions: [{ key: 'pool', operator: 'In', values: [selection.pool] }] }
      : { matchFields: [{ key: 'metadata.name', operator: 'In', values: [selection.node] }] }
  return { nodeSelectorTerms: [term] }
}
