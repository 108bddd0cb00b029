import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { LifeboatSwitch } from './daemon-set-evacuation.ts'
import { fallSilent, reportAgain } from './troubled-nodes.ts'
import {
  areDeletedByKubernetes,
  areMarked,
  arrangeSet,
  arrangeZone,
  entryOf,
  isTainted,
  openAll,
  tolerating,
  type UnhealthyScenario,
  type UnhealthyWorld,
} from './unhealthy-nodes.ts'
import { isReady, paths, podsOf, template } from './workload-world.ts'

// Nodes that do not report while Lifeboat is killed, or was never there.

export interface AloneWorld extends UnhealthyWorld {
  readonly lifeboat: LifeboatSwitch
}

export interface AloneScenario extends Omit<UnhealthyScenario, 'run'> {
  readonly run: (world: AloneWorld) => Promise<void>
}

/** One node and one set for each moment at which Lifeboat may die; nobody acts on the marks. */
const killed: AloneScenario = {
  name: 'Lifeboat is killed before the taint, after it, and after the marks: Kubernetes deletes the pods in their time',
  ownCluster: true,
  run: async (world) => {
    const nodes = await arrangeZone(world, { open: 3, more: 5 })
    const [marked = '', tainted = '', silent = ''] = nodes
    const sets = [
      { node: marked, name: 'marked', seconds: 5 },
      { node: tainted, name: 'tainted', seconds: 60 },
      { node: silent, name: 'silent', seconds: 5 },
    ]
    const pods = []
    for (const { node, name, seconds } of sets) {
      pods.push(await arrangeSet(world, { name, replicas: 2, seconds, timeout: '12s', node }))
    }
    const [onMarked = [], onTainted = [], onSilent = []] = pods
    await openAll(world, nodes.slice(3), { [marked]: [5, 17], [tainted]: [72], [silent]: [17] })
    await fallSilent(world, marked)
    const markedMs = await isTainted(world, marked)
    await areMarked(world, onMarked, { node: marked, sinceMs: markedMs, seconds: 5 })
    await fallSilent(world, tainted)
    await isTainted(world, tainted)
    await fallSilent(world, silent)
    await world.lifeboat.kill()
    await isTainted(world, silent)
    await areDeletedByKubernetes(world, onMarked, { node: marked, seconds: 17 })
    await areDeletedByKubernetes(world, onTainted, { node: tainted, seconds: 72 })
    await areDeletedByKubernetes(world, onSilent, { node: silent, seconds: 17 })
    const wereMarked = [onMarked, onTainted, onSilent].map(
      (some) => some.filter((pod) => entryOf(world, pod).markedAtMs !== undefined).length,
    )
    world.observe('marked', wereMarked)
    await world.lifeboat.start()
  },
}

/** What is to be the same with Lifeboat and without it. */
interface Fate {
  readonly pod: string
  readonly deletedAfterSeconds: number | 'never'
  readonly byTaint: boolean
  readonly annotations: readonly string[]
  readonly toleratedSeconds: readonly (number | undefined)[]
}

const takeOver = { 'kubernetes.io/evict-policy': 'ControllerTakeOver' }
const forEver = [{ operator: 'Exists' }]

/** Pods that are none of Lifeboat's business. */
async function arrangeOthers(world: AloneWorld, node: string): Promise<void> {
  const rows = [
    { name: 'plain', annotations: {}, tolerations: tolerating(8) },
    { name: 'default', annotations: { 'kubernetes.io/evict-policy': 'Default' }, tolerations: tolerating(8) },
    { name: 'for-ever', annotations: takeOver, tolerations: forEver },
  ]
  const on = { 'kubernetes.io/hostname': node }
  const templateOf = ({ name, annotations, tolerations }: (typeof rows)[number]) => {
    const { spec } = template(world, {
      spec: { terminationGracePeriodSeconds: 1, tolerations, nodeSelector: on },
    }) as { spec: object }
    return { metadata: { labels: { app: name }, annotations }, spec }
  }
  for (const row of rows) {
    await world.arrange('POST', paths.replicaSets, {
      metadata: { name: row.name, namespace: 'NS' },
      spec: { replicas: 1, selector: { matchLabels: { app: row.name } }, template: templateOf(row) },
    })
  }
  await world.arrange('POST', paths.daemonSets, {
    metadata: { name: 'agent', namespace: 'NS' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: templateOf({ name: 'agent', annotations: takeOver, tolerations: [] }),
    },
  })
  const { body } = await world.read(`/api/v1/nodes/${node}`)
  const { uid } = (body as { metadata: { uid: string } }).metadata
  await world.arrange('POST', paths.pods, {
    metadata: {
      name: `static-${node}`,
      namespace: 'NS',
      labels: { app: 'static' },
      annotations: { ...takeOver, 'kubernetes.io/config.mirror': 'hash' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid, controller: true }],
    },
    spec: { nodeName: node, containers: [{ name: 'main', image: 'static:1' }], tolerations: forEver },
  })
  await world.eventually(
    'all are ready',
    () => podsOf(world),
    (pods) => pods.filter((pod) => pod.spec.nodeName === node && isReady(pod)).length === 5,
  )
}

/** What becomes of them when their node falls silent, and for long enough after. */
async function fatesOn(world: AloneWorld, node: string): Promise<Fate[]> {
  await arrangeOthers(world, node)
  const before = ((await podsOf(world)) as unknown as Pod[]).filter(({ spec }) => spec?.nodeName === node)
  await fallSilent(world, node)
  const sinceMs = await isTainted(world, node)
  await world.pass(18_000)
  const entries = before.map((pod) => ({ pod, entry: world.diary.pods.get(pod.metadata.uid) }))
  await reportAgain(world, node)
  for (const name of ['plain', 'default', 'for-ever']) await world.arrange('DELETE', `${paths.replicaSets}/${name}`)
  await world.arrange('DELETE', `${paths.daemonSets}/agent`)
  return entries
    .map(({ pod: { metadata, spec }, entry }) => ({
      pod: metadata.labels?.['app'] ?? '',
      deletedAfterSeconds: afterSeconds(entry?.deletedAtMs, sinceMs),
      byTaint: entry?.byTaint ?? false,
      annotations: Object.keys(metadata.annotations ?? {}).toSorted(),
      toleratedSeconds: (spec?.tolerations ?? []).map(({ tolerationSeconds }) => tolerationSeconds),
    }))
    .toSorted((one, other) => (one.pod < other.pod ? -1 : 1))
}

/** Whole seconds, and somebody has to act: what is late by up to four of them is in time. */
function afterSeconds(atMs: number | undefined, sinceMs: number): number | 'never' {
  if (atMs === undefined) return 'never'
  const seconds = (atMs - sinceMs) / 1_000
  return seconds >= 8 && seconds <= 12 ? 8 : seconds
}

const others: AloneScenario = {
  name: 'pods without the policy, that tolerate for ever, of a DaemonSet and static ones fare as without Lifeboat',
  ownCluster: true,
  run: async (world) => {
    const [first = '', second = ''] = await arrangeZone(world, { open: 2, more: 3 })
    const withLifeboat = await fatesOn(world, first)
    await world.lifeboat.uninstall()
    await world.lifeboat.kill()
    const without = await fatesOn(world, second)
    for (const fate of withLifeboat) world.observe('fate', fate)
    if (JSON.stringify(withLifeboat) !== JSON.stringify(without))
      throw new Error(`without Lifeboat: ${JSON.stringify(without)}; with it: ${JSON.stringify(withLifeboat)}`)
    await world.lifeboat.start()
  },
}

export interface ManagedWorld extends UnhealthyWorld {
  restartControllerManager(): Promise<void>
}

export interface ManagedScenario extends Omit<UnhealthyScenario, 'run'> {
  readonly run: (world: ManagedWorld) => Promise<void>
}

/** Kubernetes takes the taints off when it starts, and puts them on again at the pace of the zone. */
export const restartScenarios: readonly ManagedScenario[] = [
  {
    name: 'kube-controller-manager is restarted: marked when due by its new count, and those that are marked stay so',
    ownCluster: true,
    run: async (world) => {
      const nodes = await arrangeZone(world, { open: 2, more: 4 })
      const [marked = '', tainted = ''] = nodes
      const onMarked = await arrangeSet(world, { name: 'marked', replicas: 2, seconds: 5, timeout: '5m', node: marked })
      const onTainted = await arrangeSet(world, {
        name: 'tainted',
        replicas: 2,
        seconds: 40,
        timeout: '12s',
        node: tainted,
      })
      await openAll(world, nodes.slice(2), { [marked]: [5], [tainted]: [40, 52] })
      await fallSilent(world, marked)
      await areMarked(world, onMarked, { node: marked, sinceMs: await isTainted(world, marked), seconds: 5 })
      await fallSilent(world, tainted)
      const beforeMs = await isTainted(world, tainted)
      await world.pass(5_000)
      await world.restartControllerManager()
      const sinceMs = await isTainted(world, tainted, beforeMs)
      await areMarked(world, onTainted, { node: tainted, sinceMs, seconds: 40 })
      world.observe('marked when due by the new count', onTainted.length)
      await areDeletedByKubernetes(world, onTainted, { node: tainted, seconds: 52 })
      const still = onMarked.map((pod) => entryOf(world, pod)).filter((entry) => entry.unmarkedAtMs === undefined)
      world.observe('still marked', still.length)
    },
  },
]

export const unhealthyAloneScenarios = { killed: [killed], others: [others] } as const
