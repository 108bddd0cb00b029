import { expect, test } from 'vitest'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'

test('a pod without evacuators is evicted, and the Evacuation goes after it, in three writes', async () => {
  await using ground = await EvacuationGround.open()
  const pod = await ground.createPod('web')
  await ground.evacuate(pod)
  await ground.pass(40)
  expect(await ground.podNamed('web')).toBeUndefined()
  expect(await ground.evacuationOf(pod)).toBeUndefined()
  expect(ground.writes.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual([
    'POST eviction',
    `PATCH ${pod.metadata.uid}-web`,
    `DELETE ${pod.metadata.uid}-web`,
  ])
})

test('a pod behind a budget is evicted when the budget gives way, one call a step and one more', async () => {
  await using ground = await EvacuationGround.open()
  const pod = await ground.createPod('web')
  const budget = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  }
  await ground.do(ground.kube.create(podDisruptionBudgets, budget))
  await ground.pass(5)
  await ground.evacuate(pod)
  await ground.pass(20)
  const { status } = (await ground.evacuationOf(pod)) ?? {}
  expect(status).toMatchObject({
    message: 'default/web waits for budget web (1 healthy, 1 needed)',
    conditions: [{ type: 'Blocked', status: 'True', reason: 'DisruptionBudget' }],
  })
  expect(status?.failedEvictionCounter).toBe(ground.evictions)
  const before = ground.evictions
  await ground.do(
    ground.kube.patch(
      podDisruptionBudgets,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: { spec: { minAvailable: 0 } } },
    ),
  )
  await ground.pass(2)
  expect(ground.evictions).toBe(before + 1)
  expect(await ground.podNamed('web')).toBeUndefined()
})
