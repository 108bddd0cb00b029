import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { isReady, isTerminating } from '../pod-status.ts'
import { startReplicaSetController } from '../replica-set/replica-set.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startNodeLifecycleController } from './node-lifecycle.ts'

const controllers = [startNodeLifecycleController, startReplicaSetController, startScheduler, startKubelet]
const unreachable = 'node.kubernetes.io/unreachable'
/** As the admission plugin of the real server gives every pod. */
const tolerations = [{ key: unreachable, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }]
const dies = { metadata: { annotations: { 'lifeboat.test/node-dies': 'true' } } }

async function openNodes() {
  const ground = new ControllerGround(controllers)
  await ground.create('nodes', nodeNamed('one'))
  await ground.create('replicasets.apps', {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: templateOf({ app: 'web' }, { spec: { tolerations } }),
    },
  })
  await ground.settle()
  await ground.create('nodes', nodeNamed('two'))
  await ground.settle()
  return ground
}

const taintsOf = (ground: ControllerGround, name: string) =>
  (ground.get('nodes', name)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
const readyOf = (ground: ControllerGround, name: string) =>
  ground.get('nodes', name)?.status?.conditions?.find(({ type }) => type === 'Ready')

describe('a node', () => {
  test('that lives is Ready for hours', async () => {
    await using ground = await openNodes()
    await ground.clock.advance(3 * 3_600_000)
    await ground.settle()
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True', reason: 'KubeletReady' })
    expect(taintsOf(ground, 'one')).toEqual([])
  })

  test('that dies is unknown after the grace period, and its pods leave it after their toleration', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', dies)
    await ground.pass(45)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True' })
    await ground.pass(15)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' })
    expect(taintsOf(ground, 'one')).toEqual([`${unreachable}:NoSchedule`, `${unreachable}:NoExecute`])
    expect(ground.list('pods').map(isReady)).toEqual([false])
    await ground.pass(285)
    expect(ground.list('pods').map(isTerminating)).toEqual([false])
    await ground.pass(20)
    // Nobody on the dead node can end it, so it stays, marked, beside its replacement.
    const [old, replacement] = ground.list('pods').toSorted((pod) => (isTerminating(pod) ? -1 : 1))
    expect(old?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
      'DeletionByTaintManager',
    )
    expect(replacement?.spec?.nodeName).toBe('two')
    expect(replacement === undefined ? false : isReady(replacement)).toBe(true)
  })

  test('that comes back loses its taints, and its pods are ready again', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', dies)
    await ground.pass(60)
    await ground.patch('nodes', 'one', { metadata: { annotations: { 'lifeboat.test/node-dies': null } } })
    await ground.pass(15)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True' })
    expect(taintsOf(ground, 'one')).toEqual([])
    expect(ground.list('pods').map(isReady)).toEqual([true])
  })

  test('that is cordoned has the taint of it, as long as it is', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', { spec: { unschedulable: true } })
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual(['node.kubernetes.io/unschedulable:NoSchedule'])
    await ground.patch('nodes', 'one', { spec: { unschedulable: null } })
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual([])
  })

  test('that is gone takes its pods with it, after a while', async () => {
    await using ground = await openNodes()
    await ground.parts.api.delete('nodes', { name: 'one' })
    await ground.pass(35)
    expect(ground.list('pods').map(({ spec }) => spec?.nodeName)).toEqual(['one'])
    await ground.pass(10)
    expect(ground.list('pods').map(({ spec }) => spec?.nodeName)).toEqual(['two'])
  })
})
