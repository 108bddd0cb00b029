import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { conditionOf, isTerminating } from '../pod-status.ts'
import { startTaintEvictionController } from './taint-eviction.ts'

const tolerating = (seconds: number, key: string) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: seconds,
})
const taint = (key: string, effect = 'NoExecute') => ({ key, effect })

async function openPod() {
  const ground = new ControllerGround([startTaintEvictionController])
  await ground.create('nodes', nodeNamed('one'))
  const tolerations = [tolerating(60, 'first'), tolerating(60, 'second')]
  await ground.create('pods', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { ...templateOf({}).spec, nodeName: 'one', tolerations },
  })
  await ground.settle()
  return ground
}

const setTaints = (ground: ControllerGround, ...taints: object[]) => ground.patch('nodes', 'one', { spec: { taints } })
const goes = (ground: ControllerGround) => ground.list('pods').map(isTerminating)

test('a pod leaves when its time is up, and says why', async () => {
  await using ground = await openPod()
  await setTaints(ground, taint('first'))
  await ground.pass(59)
  expect(goes(ground)).toEqual([false])
  await ground.pass(1)
  expect(goes(ground)).toEqual([true])
  const [pod] = ground.list('pods')
  expect(pod === undefined ? undefined : conditionOf(pod, 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'DeletionByTaintManager',
  })
})

test('one taint in place of another does not begin anew', async () => {
  await using ground = await openPod()
  await setTaints(ground, taint('first'))
  await ground.pass(40)
  await setTaints(ground, taint('first'), taint('second'))
  await ground.settle()
  await setTaints(ground, taint('second'))
  await ground.pass(20)
  expect(goes(ground)).toEqual([true])
})

test('a taint that goes, if only for a moment, does', async () => {
  await using ground = await openPod()
  await setTaints(ground, taint('first'))
  await ground.pass(40)
  await setTaints(ground, taint('first', 'NoSchedule'))
  await ground.settle()
  await setTaints(ground, taint('first'))
  await ground.pass(59)
  expect(goes(ground)).toEqual([false])
  await ground.pass(1)
  expect(goes(ground)).toEqual([true])
})

test('more tolerated afterwards changes nothing', async () => {
  await using ground = await openPod()
  await setTaints(ground, taint('first'))
  await ground.pass(30)
  await ground.patch('pods', 'web', { spec: { tolerations: [tolerating(600, 'first')] } })
  await ground.pass(30)
  expect(goes(ground)).toEqual([true])
})

test('a pod that comes later counts from then', async () => {
  await using ground = await openPod()
  await setTaints(ground, taint('first'))
  await ground.pass(30)
  await ground.create('pods', {
    metadata: { name: 'late', namespace: 'default' },
    spec: { ...templateOf({}).spec, nodeName: 'one', tolerations: [tolerating(60, 'first')] },
  })
  await ground.pass(30)
  expect(ground.get('pods', 'late')?.metadata.deletionTimestamp).toBeUndefined()
  await ground.pass(30)
  expect(ground.get('pods', 'late')?.metadata.deletionTimestamp).toBeDefined()
})

test('a pod that terminates already is told as well', async () => {
  await using ground = await openPod()
  await ground.parts.api.delete('pods', { namespace: 'default', name: 'web' })
  await setTaints(ground, taint('other'))
  await ground.settle()
  const [pod] = ground.list('pods')
  expect(pod === undefined ? undefined : conditionOf(pod, 'DisruptionTarget')?.status).toBe('True')
})
