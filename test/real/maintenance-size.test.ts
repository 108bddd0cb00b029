import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes } from '../../src/api/kubernetes/resources.ts'
import { nodeMaintenances, type NodeMaintenance } from '../../src/api/maintenance/node-maintenance.ts'
import { inParallel } from '../../bench/in-parallel.ts'
import { connect, type Connection } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

// A maintenance of a thousand nodes on the real API server. Nobody runs on these nodes: what is looked at is the object.

const size = { nodes: 1_000, atOnce: 30 }
const label = 'maintenance-size'
const name = 'maintenance-size'
let connection: Connection

beforeAll(async () => {
  connection = await connect(ownCluster())
})
afterAll(() => connection[Symbol.asyncDispose]())

const nodeName = (at: number) => `${name}-${String(at).padStart(4, '0')}`

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + 120_000
  while (!(await isTrue())) {
    if (performance.now() > untilMs) throw new Error(`not within two minutes: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** When each new status was seen. */
function followStatus(signal: AbortSignal): { readonly seenAtMs: number[]; readonly over: Promise<void> } {
  const seenAtMs: number[] = []
  const follow = async () => {
    let last = ''
    const { resourceVersion } = await connection.kube.list(nodeMaintenances)
    for await (const event of connection.kube.watch(nodeMaintenances, {
      resourceVersion,
      timeoutSeconds: 300,
      signal,
    })) {
      if (event.kind === 'bookmark') continue
      const status = JSON.stringify(event.object.status)
      if (status !== last) seenAtMs.push(performance.now())
      last = status
    }
  }
  return { seenAtMs, over: follow().catch(() => {}) }
}

test('a maintenance of a thousand nodes stays under 300 KiB, and its status is written once a second at most', async () => {
  const { kube } = connection
  const lifeboat = await startLifeboat(ownCluster().kubeconfigPath)
  const stop = new AbortController()
  try {
    await inParallel(size.nodes, size.atOnce, (at) =>
      kube.create(nodes, { metadata: { name: nodeName(at), labels: { [label]: '' } } }),
    )
    const { seenAtMs, over } = followStatus(stop.signal)
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: label, operator: 'Exists' as const }] }] }
    await kube.create(nodeMaintenances, { metadata: { name }, spec: { nodeSelector, stage: 'Drain' } })
    const find = () => kube.get(nodeMaintenances, { name })
    const isTrue = ({ status }: NodeMaintenance, type: string) =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false
    await until('all are drained', async () => isTrue(await find(), 'Drained'))
    const drained = await find()
    expect(drained.status?.drainStatus).toMatchObject({ nodesTotal: size.nodes, nodesDrained: size.nodes })
    expect(Buffer.byteLength(JSON.stringify(drained))).toBeLessThan(300 * 1_024)
    await kube.patch(nodeMaintenances, { name }, { type: 'merge', body: { spec: { stage: 'Complete' } } })
    await until('it is completed', async () => isTrue(await find(), 'Completed'))
    stop.abort(new Error('seen enough'))
    await over
    const [firstMs = 0, lastMs = 0] = [seenAtMs[0], seenAtMs.at(-1)]
    expect(seenAtMs.length).toBeGreaterThan(1)
    // By their number: a watch may be late, and two of its events come together.
    expect(seenAtMs.length).toBeLessThanOrEqual((lastMs - firstMs) / 1_000 + 2)
    const { items } = await kube.list(nodes, { labelSelector: label })
    const marked = items.filter(({ metadata, spec }) => {
      const marks = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('nodemaintenance'))
      return spec?.unschedulable === true || marks.length > 0
    })
    expect(marked).toEqual([])
  } finally {
    stop.abort(new Error('the test is over'))
    await kube.delete(nodeMaintenances, { name }).catch(() => {})
    await inParallel(size.nodes, size.atOnce, (at) => kube.delete(nodes, { name: nodeName(at) }).catch(() => {}))
    expect(await lifeboat.end('SIGTERM')).toBe(0)
  }
}, 300_000)
