import { describe, expect, test } from 'vitest'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { stored } from '../../../test/build/stored.ts'
import { chooseMaintenance, drainsOf, findDrain, listMaintenances, selectionOf } from './find-maintenance.ts'

const { signal } = new AbortController()
const node = stored<Node>({ metadata: { name: 'node-1' } })
const one = buildMaintenance({ name: 'one' })
const two = buildMaintenance({ name: 'two' })
const elsewhere = buildMaintenance({ name: 'elsewhere', nodes: ['node-9'] })
const over = buildMaintenance({ name: 'over' })
const completed = {
  ...over,
  status: {
    ...over.status,
    conditions: [{ type: 'Completed', status: 'True', reason: 'Completed', message: '', lastTransitionTime: '' }],
  },
} as typeof over

describe('for a node', () => {
  test('it is the one that selects it and is not over', () => {
    expect(chooseMaintenance('node-1', node, [elsewhere, completed, one])).toBe(one)
  })

  test.each([
    {
      name: 'several have to be told apart by name',
      maintenances: [one, two],
      expected: { message: 'node node-1 is under several maintenances: one, two', exitCode: 2 },
    },
    {
      name: 'none says what would begin one',
      maintenances: [elsewhere, completed],
      expected: {
        message: 'node node-1 is under no maintenance',
        advice: '`lifeboat drain node-1` would begin one.',
        exitCode: 1,
      },
    },
  ])('$name', ({ maintenances, expected }) => {
    expect(() => chooseMaintenance('node-1', node, maintenances)).toThrow(expect.objectContaining(expected))
  })
})

test.each([
  { maintenances: [one, elsewhere], wanted: 'onne', advice: 'Close to it: one.' },
  { maintenances: [], wanted: 'onne', advice: '`lifeboat status` lists the maintenances.' },
])('a name that nobody has', ({ maintenances, wanted, advice }) => {
  expect(() => chooseMaintenance(wanted, undefined, maintenances)).toThrow(
    expect.objectContaining({ message: 'no maintenance and no node is called onne', advice }),
  )
})

test('a name goes before a node of that name', async () => {
  const api = new FakeApi()
  const kube = buildKube(api, new VirtualClock())
  const path = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
  api.put(`${path}/node-1`, buildMaintenance({ name: 'node-1', nodes: ['node-9'] }))
  api.put(`${path}/two`, two)
  api.put('/api/v1/nodes/node-1', node)
  expect((await findDrain(kube, 'node-1', signal)).name).toBe('node-1')
  expect(await listMaintenances(kube, signal)).toHaveLength(2)
  api.remove(`${path}/node-1`)
  expect((await findDrain(kube, 'node-1', signal)).name).toBe('two')
})

test('a drain of several is found by its name, and a node of it by that of the node', async () => {
  const api = new FakeApi()
  const kube = buildKube(api, new VirtualClock())
  const part = (name: string) => buildMaintenance({ name: `rack-${name}`, nodes: [name], drain: 'rack' })
  for (const each of [part('node-1'), part('node-2'), elsewhere]) {
    api.put(`/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances/${each.metadata.name}`, each)
  }
  api.put('/api/v1/nodes/node-1', node)
  const rack = await findDrain(kube, 'rack', signal)
  expect(rack.maintenances.map(({ metadata }) => metadata.name)).toEqual(['rack-node-1', 'rack-node-2'])
  expect(selectionOf(rack)).toEqual({ labelSelector: 'nodemaintenance.k8s.io/drain=rack' })
  expect(await findDrain(kube, 'node-1', signal)).toMatchObject({ name: 'rack-node-1', isJoined: false })
  expect(
    drainsOf(await listMaintenances(kube, signal))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['elsewhere', 'rack'])
  expect(() => chooseMaintenance('rak', undefined, [part('node-1')])).toThrow(
    expect.objectContaining({ advice: 'Close to it: rack.' }),
  )
})
