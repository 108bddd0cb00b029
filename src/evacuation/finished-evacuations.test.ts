import { expect, test } from 'vitest'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'
import { failure } from '../../test/build/fake-api.ts'
import { instigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { finishedMark } from '../api/evacuation/finished-mark.ts'
import type { Pod } from '../api/kubernetes/core.ts'

/** So many pods, each evacuated by nobody but the controller, which evicts them. */
async function evacuated(ground: EvacuationGround, count: number): Promise<Pod[]> {
  const created: Pod[] = []
  for (let at = 0; at < count; at++) created.push(await ground.createPod(`web-${at}`))
  for (const pod of created) await ground.evacuate(pod)
  return created
}

const deletions = ({ writes }: EvacuationGround) =>
  writes.filter(({ method, path }) => method === 'DELETE' && path.includes('/evacuations')).map(({ path }) => path)

const collection = '/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/default/evacuations'

test.each([
  { count: 2, together: false },
  { count: 3, together: true },
  { count: 30, together: true },
])(
  'of $count pods that go at once, the Evacuations are deleted by one request: $together',
  async ({ count, together }) => {
    await using ground = await EvacuationGround.open()
    await evacuated(ground, count)
    await ground.pass(60)
    expect((await ground.do(ground.kube.list(evacuations))).items).toEqual([])
    expect(deletions(ground)).toHaveLength(together ? 1 : count)
    if (together) expect(deletions(ground)).toEqual([collection])
  },
)

test('a restart after the finalizers went finds them by their mark', async () => {
  await using ground = await EvacuationGround.open()
  const pods = await evacuated(ground, 6)
  while (ground.writes.every(({ body }) => !JSON.stringify(body ?? {}).includes('/finished')))
    await ground.clock.advance(10)
  await ground.clock.advance(100)
  await ground.stop()
  expect(deletions(ground)).toEqual([])
  expect((await ground.evacuationOf(pods[0] as Pod))?.metadata.labels).toEqual(finishedMark)
  await ground.start()
  await ground.pass(60)
  expect((await ground.do(ground.kube.list(evacuations))).items).toEqual([])
  expect(deletions(ground)).toEqual([collection])
})

test('where a user has set the mark on another Evacuation, each is deleted by its name', async () => {
  await using ground = await EvacuationGround.open()
  const lasting = await ground.createPod('lasting')
  await ground.evacuate(lasting, { evacuators: [{ evacuatorClass: 'vm.example.com', priority: 1 }] })
  const key = { namespace: 'default', name: evacuationName({ name: 'lasting', uid: lasting.metadata.uid }) }
  const marking = { metadata: { labels: finishedMark } }
  await ground.do(ground.kube.patch(evacuations, key, { type: 'merge', body: marking }))
  await evacuated(ground, 6)
  await ground.pass(60)
  expect((await ground.do(ground.kube.list(evacuations))).items.map(({ metadata }) => metadata.name)).toEqual([
    key.name,
  ])
  expect((await ground.evacuationOf(lasting))?.metadata.deletionTimestamp).toBeUndefined()
  expect(deletions(ground)).toHaveLength(6)
})

test('where it may not delete them together, as with the role of an older version, each is deleted by its name', async () => {
  await using ground = await EvacuationGround.open({ started: false })
  await ground.start((transport) => ({
    request: async (request) =>
      request.method === 'DELETE' && request.path === collection
        ? failure(403, 'Forbidden', 'it may not')
        : transport.request(request),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }))
  await evacuated(ground, 6)
  await ground.pass(60)
  expect((await ground.do(ground.kube.list(evacuations))).items).toEqual([])
  expect(new Set(deletions(ground)).size).toBe(7)
})

test('what others hold stays until they let go', async () => {
  await using ground = await EvacuationGround.open()
  const pods = await evacuated(ground, 6)
  const held = pods[0] as Pod
  const key = { namespace: 'default', name: evacuationName({ name: held.metadata.name, uid: held.metadata.uid }) }
  const finalizers = [instigatorFinalizer('drill.example.com'), 'example.com/archive']
  await ground.do(ground.kube.patch(evacuations, key, { type: 'merge', body: { metadata: { finalizers } } }))
  await ground.pass(60)
  expect((await ground.evacuationOf(held))?.metadata).toMatchObject({
    finalizers: ['example.com/archive'],
    deletionTimestamp: expect.any(String),
  })
  await ground.do(ground.kube.patch(evacuations, key, { type: 'merge', body: { metadata: { finalizers: [] } } }))
  await ground.pass(1)
  expect(await ground.evacuationOf(held)).toBeUndefined()
})
