import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { beginMaintenance, renderBegun } from './begin-maintenance.ts'
import { selectByName } from './selector.ts'
import { reachCluster } from '../connect/reached-cluster.ts'

const wanted = (stage: 'Cordon' | 'Drain', node: string) => ({
  stage,
  nodeSelector: selectByName([node]),
  nodes: [node],
})

test('it is created, attached to, or moved on, and said so', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  await using reached = await reachCluster(commandWorld(), { kubeconfig: cluster.kubeconfig })
  const begin = async (stage: 'Cordon' | 'Drain', isDry = false) =>
    renderBegun(await beginMaintenance(reached, wanted(stage, 'node-1'), { isDry }), isDry)
  expect(await begin('Cordon', true)).toBe('nodemaintenance cordon-node-1 created at stage Cordon (server dry run)')
  expect(cluster.cluster.store.count('nodemaintenances.nodemaintenance.k8s.io')).toBe(0)
  expect(await begin('Cordon')).toBe('nodemaintenance cordon-node-1 created at stage Cordon')
  expect(await begin('Drain', true)).toContain('moved on from Cordon to Drain (server dry run)')
  expect((await cluster.admin.get(nodeMaintenances, { name: 'cordon-node-1' })).spec.stage).toBe('Cordon')
  expect(await begin('Drain')).toBe(
    'nodemaintenance cordon-node-1 is there for the same nodes: moved on from Cordon to Drain',
  )
  expect(await begin('Drain')).toBe('nodemaintenance cordon-node-1 is there for the same nodes, at stage Drain')
})

test('a name that somebody takes at the same moment is not the end of it', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  await using reached = await reachCluster(commandWorld(), { kubeconfig: cluster.kubeconfig })
  let lists = 0
  const kube = Object.create(reached.kube) as typeof reached.kube
  // Somebody else comes in between the list and the creation, once.
  kube.list = async (...call: Parameters<typeof kube.list>) => {
    const found = await reached.kube.list(...call)
    if (++lists === 1) {
      const { status: _, ...object } = buildMaintenance({ name: 'drain-node-1', nodes: ['node-7'] })
      await cluster.admin.create(nodeMaintenances, { ...object, metadata: { name: 'drain-node-1' } })
    }
    return found as never
  }
  kube.create = reached.kube.create.bind(reached.kube)
  const begun = await beginMaintenance({ ...reached, kube }, wanted('Drain', 'node-1'), { isDry: false })
  expect(begun).toMatchObject({ how: 'created', maintenance: { metadata: { name: 'drain-node-1-2' } } })
})
