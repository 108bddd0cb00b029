import { describe, expect, test } from 'vitest'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { stored } from '../../../test/build/stored.ts'
import { chooseMaintenance, findMaintenance, listMaintenances } from './find-maintenance.ts'

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
  expect((await findMaintenance(kube, 'node-1', signal)).metadata.name).toBe('node-1')
  expect(await listMaintenances(kube, signal)).toHaveLength(2)
  api.remove(`${path}/node-1`)
  expect((await findMaintenance(kube, 'node-1', signal)).metadata.name).toBe('two')
})
