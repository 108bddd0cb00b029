import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../test/build/lifeboat.ts'
import { noting } from '../../test/build/maintenance.ts'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { nodes, pods, replicaSets } from '../api/kubernetes/resources.ts'
import type { TransportRequest } from '../kube/client/transport.ts'

const noteKey = 'evacuation.coordination.k8s.io/unhealthy'
const silent = (value: 'true' | null) => ({ metadata: { labels: { 'lifeboat.test/silent': value } } })

async function arrangeSet(ground: LifeboatGround): Promise<void> {
  const labels = { app: 'web' }
  const annotations = { 'kubernetes.io/evict-policy': 'ControllerTakeOver' }
  const tolerations = ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 5,
  }))
  const nodeSelector = { 'kubernetes.io/hostname': 'node-1' }
  const spec = { containers: [{ name: 'main', image: 'web:1' }], tolerations, nodeSelector }
  await ground.until(
    ground.admin.create(replicaSets, {
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels, annotations }, spec } },
    } as never),
  )
  await ground.pass(5_000)
}

const patchNode = (ground: LifeboatGround, body: object) =>
  ground.until(ground.admin.patch(nodes, { name: 'node-1' }, { type: 'merge', body }))

async function marks(ground: LifeboatGround): Promise<number> {
  const { items } = await ground.until(ground.admin.list(pods, { namespace: 'default' }))
  return items.filter(({ metadata }) => metadata.annotations?.['kubernetes.io/pod-evict-wanted'] === 'true').length
}

test('while all nodes are well it is one list of rows and one watch, and no pod is read', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const requests: TransportRequest[] = []
  const { manager } = await ground.open({ wrap: noting(requests) })
  await ground.until(manager.ready())
  await ground.pass(60_000)
  const ofNodes = requests.filter(
    ({ path, query }) => path === '/api/v1/nodes' && query?.['labelSelector'] === undefined,
  )
  expect(ofNodes.map(({ query }) => query?.['watch'] ?? 'list')).toEqual(['list', 'true'])
  expect(ofNodes[0]?.headers?.['accept']).toContain('as=Table')
  requests.length = 0
  await arrangeSet(ground)
  await ground.pass(60_000)
  expect(requests.filter(({ path }) => /\/(nodes|pods)$/.test(path))).toEqual([])
})

test('what an earlier Lifeboat noted on a node that is well by now goes', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  await ground.pass(1_000)
  const note = JSON.stringify({ taint: 'node.kubernetes.io/not-ready', since: '2026-01-01T00:00:00Z' })
  await patchNode(ground, { metadata: { annotations: { [noteKey]: note }, labels: { [noteKey]: 'true' } } })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  await ground.pass(5_000)
  const { metadata } = await ground.until(ground.admin.get(nodes, { name: 'node-1' }))
  expect([metadata.annotations?.[noteKey], metadata.labels?.[noteKey]]).toEqual([undefined, undefined])
})

test('the next Lifeboat withdraws if the node came back meanwhile', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const first = await ground.open({ identity: 'first' })
  await ground.until(first.manager.ready())
  await arrangeSet(ground)
  await patchNode(ground, silent('true'))
  await ground.pass(75_000)
  expect(await marks(ground)).toBe(2)
  first.kill()
  await patchNode(ground, silent(null))
  await ground.pass(5_000)
  expect(await marks(ground)).toBe(2)
  const second = await ground.open({ identity: 'second' })
  await ground.until(second.manager.ready())
  await ground.pass(30_000)
  expect(await marks(ground)).toBe(0)
  expect((await ground.until(ground.admin.list(evacuations))).items).toEqual([])
})

test('an Evacuation that somebody deletes is asked for again', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  await arrangeSet(ground)
  await patchNode(ground, silent('true'))
  await ground.pass(75_000)
  const [one] = (await ground.until(ground.admin.list(evacuations))).items
  const { namespace = '', name = '', uid } = one?.metadata ?? {}
  await ground.until(ground.admin.delete(evacuations, { namespace, name }))
  await ground.pass(5_000)
  const after = (await ground.until(ground.admin.list(evacuations))).items
  expect(after).toHaveLength(2)
  expect(after.map(({ metadata }) => metadata.uid)).not.toContain(uid)
  expect(await marks(ground)).toBe(2)
})

test('with its gate off nothing of it is there, and what it had asked for ends', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const first = await ground.open({ identity: 'first' })
  await ground.until(first.manager.ready())
  await arrangeSet(ground)
  await patchNode(ground, silent('true'))
  await ground.pass(75_000)
  await ground.stop(first)
  const requests: TransportRequest[] = []
  const second = await ground.open({
    identity: 'second',
    gates: { PodEvictPolicy: false },
    wrap: noting(requests),
  })
  await ground.until(second.manager.ready())
  await ground.pass(5_000)
  expect(await marks(ground)).toBe(0)
  expect((await ground.until(ground.admin.list(evacuations))).items).toEqual([])
  expect(requests.filter(({ headers }) => headers?.['accept']?.includes('as=Table'))).toEqual([])
})
