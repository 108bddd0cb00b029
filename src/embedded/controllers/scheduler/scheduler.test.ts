import { describe, expect, test } from 'vitest'
import {
  ControllerGround,
  nodeNamed,
  templateOf,
  type TemplateOptions,
} from '../../../../test/build/controller-ground.ts'
import { startScheduler } from './scheduler.ts'

async function openNodes(...nodes: object[]) {
  const ground = new ControllerGround([startScheduler])
  for (const node of nodes) await ground.create('nodes', node)
  return ground
}

function podNamed(
  name: string,
  options: { spec?: NonNullable<TemplateOptions['spec']>; cpu?: string; labels?: Record<string, string> } = {},
) {
  const { metadata, spec } = templateOf(options.labels ?? {}, options)
  return { metadata: { ...metadata, name, namespace: 'default' }, spec }
}

const nodeOf = (ground: ControllerGround, name: string) => ground.get('pods', name)?.spec?.nodeName
const conditionOf = (ground: ControllerGround, name: string) => ground.get('pods', name)?.status?.conditions?.[0]

describe('the scheduler', () => {
  test('says in the known words why nothing fits, and tries again when that changes', async () => {
    await using ground = await openNodes(
      nodeNamed('a', { spec: { unschedulable: true } }),
      nodeNamed('b', { cpu: '1' }),
      nodeNamed('c', { cpu: '1' }),
      nodeNamed('d', { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } }),
    )
    await ground.create('pods', podNamed('big', { cpu: '2' }))
    await ground.settle()
    expect(conditionOf(ground, 'big')).toMatchObject({
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message:
        '0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. ' +
        'preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    })
    expect(ground.store.list('events').map((event) => event['reason'])).toEqual(['FailedScheduling'])
    await ground.patch('nodes', 'a', { spec: { unschedulable: null } })
    await ground.pass(2)
    expect(nodeOf(ground, 'big')).toBe('a')
    expect(conditionOf(ground, 'big')).toMatchObject({ type: 'PodScheduled', status: 'True' })
  })

  test('tries again when a neighbour is relabelled', async () => {
    await using ground = await openNodes(nodeNamed('a'))
    const term = { labelSelector: { matchLabels: { app: 'cache' } }, topologyKey: 'kubernetes.io/hostname' }
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    await ground.create('pods', podNamed('neighbour'))
    await ground.create('pods', podNamed('web', { spec: { affinity } }))
    await ground.pass(2)
    expect([nodeOf(ground, 'neighbour'), nodeOf(ground, 'web')]).toEqual(['a', undefined])
    await ground.patch('pods', 'neighbour', { metadata: { labels: { app: 'cache' } } })
    await ground.pass(2)
    expect(nodeOf(ground, 'web')).toBe('a')
  })

  test('says so when there are no nodes at all', async () => {
    await using ground = await openNodes()
    await ground.create('pods', podNamed('one'))
    await ground.settle()
    expect(conditionOf(ground, 'one')?.message).toBe('no nodes available to schedule pods')
    await ground.create('nodes', nodeNamed('a'))
    await ground.pass(2)
    expect(nodeOf(ground, 'one')).toBe('a')
  })

  test('waits for the room that a pod leaves behind', async () => {
    await using ground = await openNodes(nodeNamed('a', { cpu: '2' }))
    await ground.create('pods', podNamed('first', { cpu: '2' }))
    await ground.create('pods', podNamed('second', { cpu: '2' }))
    await ground.settle()
    expect([nodeOf(ground, 'first'), nodeOf(ground, 'second')]).toEqual(['a', undefined])
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 })
    await ground.pass(2)
    expect(nodeOf(ground, 'second')).toBe('a')
  })

  test('leaves a gated pod alone until its gates are gone', async () => {
    await using ground = await openNodes(nodeNamed('a'))
    await ground.create('pods', podNamed('held', { spec: { schedulingGates: [{ name: 'maintenance' }] } }))
    await ground.settle()
    expect(conditionOf(ground, 'held')).toMatchObject({ status: 'False', reason: 'SchedulingGated' })
    await ground.patch('pods', 'held', { spec: { schedulingGates: null } })
    await ground.settle()
    expect(nodeOf(ground, 'held')).toBe('a')
  })

  test('serves the more important first, and pushes nobody out', async () => {
    await using ground = await openNodes()
    await ground.create('pods', podNamed('low', { cpu: '3', spec: { priority: 1 } }))
    await ground.create('pods', podNamed('high', { cpu: '3', spec: { priority: 100 } }))
    await ground.settle()
    await ground.create('nodes', nodeNamed('a', { cpu: '4' }))
    await ground.pass(2)
    expect([nodeOf(ground, 'low'), nodeOf(ground, 'high')]).toEqual([undefined, 'a'])
    await ground.create('pods', podNamed('highest', { cpu: '3', spec: { priority: 200 } }))
    await ground.pass(5)
    expect([nodeOf(ground, 'high'), nodeOf(ground, 'highest')]).toEqual(['a', undefined])
  })

  test('leaves pods to the scheduler that they name', async () => {
    await using ground = await openNodes(nodeNamed('a'))
    await ground.create('pods', podNamed('other', { spec: { schedulerName: 'mine' } }))
    await ground.settle()
    expect(nodeOf(ground, 'other')).toBeUndefined()
  })

  test('keeps those apart that want to be, by any topology key', async () => {
    await using ground = await openNodes(
      nodeNamed('a', { labels: { rack: '1' } }),
      nodeNamed('b', { labels: { rack: '1' } }),
      nodeNamed('c', { labels: { rack: '2' } }),
    )
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'rack', labelSelector: { matchLabels: { app: 'db' } } },
      ],
    }
    for (const name of ['one', 'two', 'three']) {
      await ground.create('pods', podNamed(name, { labels: { app: 'db' }, spec: { affinity: { podAntiAffinity } } }))
    }
    await ground.settle()
    expect([nodeOf(ground, 'one'), nodeOf(ground, 'two'), nodeOf(ground, 'three')]).toEqual(['a', 'c', undefined])
    expect(conditionOf(ground, 'three')?.message).toContain("3 node(s) didn't match pod anti-affinity rules")
  })

  test('spreads what must be spread, and says when it cannot', async () => {
    await using ground = await openNodes(
      nodeNamed('a', { labels: { zone: '1' } }),
      nodeNamed('b', { labels: { zone: '2' }, cpu: '1' }),
      nodeNamed('c'),
    )
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ]
    for (const name of ['one', 'two', 'three', 'four']) {
      await ground.create(
        'pods',
        podNamed(name, { labels: { app: 'web' }, cpu: '800m', spec: { topologySpreadConstraints } }),
      )
    }
    await ground.settle()
    expect(['one', 'two', 'three', 'four'].map((name) => nodeOf(ground, name))).toEqual(['a', 'b', 'a', undefined])
    expect(conditionOf(ground, 'four')?.message).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, " +
        "1 node(s) didn't match pod topology spread constraints (missing required label). preemption: " +
        '0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
    )
  })

  test('places 2,000 pods on 1,000 nodes evenly, and fast', async () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) => nodeNamed(`node-${index}`))
    await using ground = await openNodes(...nodes)
    for (let index = 0; index < 2_000; index++) await ground.create('pods', podNamed(`pod-${index}`, { cpu: '500m' }))
    await ground.settle()
    const counts = Map.groupBy(ground.list('pods'), ({ spec }) => spec?.nodeName)
    expect(counts.size).toBe(1_000)
    expect(Math.max(...Array.from(counts.values(), (pods) => pods.length))).toBeLessThanOrEqual(3)
  })
})
