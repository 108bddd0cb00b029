import { describe, expect, test } from 'vitest'
import { noAdmission, type Admission } from '../../server/admission/admission.ts'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { nameOf } from '../ownership.ts'
import { isReady } from '../pod-status.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { targetNode } from './daemon-pod.ts'
import { startDaemonSetController } from './daemon-set.ts'

const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' }

async function openAgents(options: { spec?: object; template?: object; admission?: Admission } = {}) {
  const { admission = noAdmission } = options
  const ground = new ControllerGround([startDaemonSetController, startScheduler, startKubelet], { admission })
  for (const name of ['one', 'two', 'three']) await ground.create('nodes', nodeNamed(name))
  await ground.create('daemonsets.apps', {
    metadata: { name: 'logs', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'logs' } },
      template: { ...templateOf({ app: 'logs' }), ...options.template },
      ...options.spec,
    },
  })
  await ground.settle()
  return ground
}

const nodesOf = (ground: ControllerGround) =>
  ground
    .list('pods')
    .map(({ spec }) => spec?.nodeName ?? '')
    .toSorted((one, other) => one.localeCompare(other))
const statusOf = (ground: ControllerGround) => ground.get('daemonsets.apps', 'logs')?.status

describe('a DaemonSet', () => {
  test('has one pod on every node, on new ones too', async () => {
    await using ground = await openAgents()
    expect(nodesOf(ground)).toEqual(['one', 'three', 'two'])
    await ground.create('nodes', nodeNamed('four'))
    await ground.settle()
    expect(nodesOf(ground)).toEqual(['four', 'one', 'three', 'two'])
    expect(statusOf(ground)).toMatchObject({
      currentNumberScheduled: 4,
      desiredNumberScheduled: 4,
      numberReady: 4,
      numberAvailable: 4,
      numberUnavailable: 0,
      numberMisscheduled: 0,
      updatedNumberScheduled: 4,
      observedGeneration: 1,
    })
  })

  test('comes back to a cordoned node', async () => {
    await using ground = await openAgents()
    await ground.patch('nodes', 'one', { spec: { unschedulable: true } })
    const { metadata } = ground.first('pods', ({ spec }) => spec?.nodeName === 'one')
    await ground.parts.api.delete('pods', nameOf(metadata))
    await ground.settle()
    expect(nodesOf(ground)).toEqual(['one', 'three', 'two'])
    expect(ground.get('pods', metadata.name)).toBeUndefined()
  })

  test.each([
    { name: 'keeps what is there under a NoSchedule taint, and sends nothing new', effect: 'NoSchedule', stays: true },
    { name: 'leaves under a NoExecute taint', effect: 'NoExecute', stays: false },
  ])('$name', async ({ effect, stays }) => {
    await using ground = await openAgents()
    await ground.patch('nodes', 'one', { spec: { taints: [{ ...taint, effect }] } })
    await ground.settle()
    expect(nodesOf(ground).includes('one')).toBe(stays)
    expect(statusOf(ground)).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: stays ? 1 : 0 })
    for (const { metadata } of ground.list('pods')) {
      await ground.parts.api.delete('pods', nameOf(metadata))
    }
    await ground.settle()
    expect(nodesOf(ground)).toEqual(['three', 'two'])
  })

  test('ignores a taint that its template tolerates', async () => {
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }]
    const template = templateOf({ app: 'logs' }, { spec: { tolerations } })
    await using ground = await openAgents({ template })
    await ground.patch('nodes', 'one', { spec: { taints: [{ ...taint, effect: 'NoExecute' }] } })
    await ground.settle()
    expect(nodesOf(ground)).toEqual(['one', 'three', 'two'])
  })

  test('makes no second pod while the first is held by a gate, and runs it when the gate goes', async () => {
    const admission: Admission = {
      ...noAdmission,
      mutate: async ({ operation, definition, object }) => {
        if (operation !== 'CREATE' || definition.plural !== 'pods' || object === undefined) return object
        const spec = object['spec'] as { affinity?: unknown }
        const isForOne = JSON.stringify(spec.affinity).includes('"one"')
        return isForOne ? { ...object, spec: { ...spec, schedulingGates: [{ name: 'maintenance' }] } } : object
      },
    }
    await using ground = await openAgents({ admission })
    await ground.pass(60)
    expect(
      ground
        .list('pods')
        .map(targetNode)
        .toSorted((one, other) => one.localeCompare(other)),
    ).toEqual(['one', 'three', 'two'])
    const held = ground.first('pods', (pod) => targetNode(pod) === 'one')
    expect(held.spec?.nodeName).toBeUndefined()
    expect(held.status?.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ])
    await ground.patch('pods', held.metadata.name, { spec: { schedulingGates: null } })
    await ground.settle()
    expect(nodesOf(ground)).toEqual(['one', 'three', 'two'])
  })

  test('rolls an update out node by node', async () => {
    const annotations = { 'lifeboat.test/ready-after': '3s' }
    await using ground = await openAgents({ template: templateOf({ app: 'logs' }, { annotations }) })
    await ground.pass(5)
    await ground.patch('daemonsets.apps', 'logs', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example/web:2' }] } } },
    })
    let readyMin = 3
    for (let second = 0; second < 30; second++) {
      await ground.pass(1)
      readyMin = Math.min(readyMin, ground.list('pods').filter(isReady).length)
    }
    expect(readyMin).toBe(2)
    expect(new Set(ground.list('pods').map(({ spec }) => spec?.containers?.[0]?.image))).toEqual(
      new Set(['example/web:2']),
    )
    expect(statusOf(ground)).toMatchObject({ updatedNumberScheduled: 3, numberReady: 3 })
  })

  test('surges: a new pod is ready on a node before the old one goes', async () => {
    const annotations = { 'lifeboat.test/ready-after': '3s' }
    const updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    const template = templateOf({ app: 'logs' }, { annotations })
    await using ground = await openAgents({ template, spec: { updateStrategy } })
    await ground.pass(5)
    await ground.patch('daemonsets.apps', 'logs', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example/web:2' }] } } },
    })
    let [readyMin, podsMax] = [3, 0]
    for (let second = 0; second < 30; second++) {
      await ground.pass(1)
      readyMin = Math.min(readyMin, ground.list('pods').filter(isReady).length)
      podsMax = Math.max(podsMax, ground.list('pods').length)
    }
    expect([readyMin, podsMax]).toEqual([3, 4])
    expect(nodesOf(ground)).toEqual(['one', 'three', 'two'])
    expect(statusOf(ground)).toMatchObject({ updatedNumberScheduled: 3, numberReady: 3 })
  })

  test('leaves updates to whoever deletes the pods, if told so', async () => {
    await using ground = await openAgents({ spec: { updateStrategy: { type: 'OnDelete' } } })
    const before = ground.list('pods').map(({ metadata }) => metadata.uid)
    await ground.patch('daemonsets.apps', 'logs', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'example/web:2' }] } } },
    })
    await ground.pass(5)
    expect(ground.list('pods').map(({ metadata }) => metadata.uid)).toEqual(before)
  })
})
