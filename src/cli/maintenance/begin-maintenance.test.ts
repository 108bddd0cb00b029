import { describe, expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { beginDrain, inTurn, renderBegun } from './begin-maintenance.ts'
import { selectByName } from './selector.ts'
import { reachCluster } from '../connect/reached-cluster.ts'

const wanted = (stage: 'Cordon' | 'Drain', node: string) => ({
  stage,
  nodeSelector: selectByName([node]),
  nodes: [node],
  isTogether: false,
})

test('it is created, attached to, or moved on, and said so', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  await using reached = await reachCluster(commandWorld(), { kubeconfig: cluster.kubeconfig })
  const begin = async (stage: 'Cordon' | 'Drain', isDry = false) =>
    renderBegun(await beginDrain(reached, wanted(stage, 'node-1'), { isDry }), isDry)
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
  const begun = await beginDrain({ ...reached, kube }, wanted('Drain', 'node-1'), { isDry: false })
  expect(begun).toMatchObject({
    name: 'drain-node-1-2',
    parts: [{ how: 'created', maintenance: { metadata: { name: 'drain-node-1-2' } } }],
  })
})

const several = (...nodes: readonly string[]) => ({
  stage: 'Drain' as const,
  nodeSelector: selectByName(nodes),
  nodes,
  name: 'rack',
  isTogether: false,
})

describe('one maintenance for each of several nodes', () => {
  test('a refusal in the middle says how far it came, and the same again does the rest', async () => {
    await using cluster = await openArrangedCluster({ nodes: 0 })
    await using reached = await reachCluster(commandWorld(), { kubeconfig: cluster.kubeconfig })
    const kube = Object.create(reached.kube) as typeof reached.kube
    let isRefusing = true
    kube.list = reached.kube.list.bind(reached.kube)
    kube.create = async (resource, object, options) => {
      if (isRefusing && 'name' in object.metadata && object.metadata.name === 'rack-b')
        throw new Error('quota exceeded')
      return await reached.kube.create(resource, object, options)
    }
    const begin = () => beginDrain({ ...reached, kube }, several('a', 'b'), { isDry: false })
    await expect(begin()).rejects.toThrow(
      expect.objectContaining({
        message: 'quota exceeded; 1 of 2 nodes of rack are under maintenance',
        advice: expect.stringContaining('The same command again continues with the rest'),
      }),
    )
    isRefusing = false
    const begun = await begin()
    expect(begun.parts.map(({ how, maintenance }) => `${maintenance.metadata.name} ${how}`)).toEqual([
      'rack-a attached',
      'rack-b created',
    ])
  })

  test('200 nodes: one list, one rehearsal of the whole, one creation each, a few at once', async () => {
    const nodes = Array.from({ length: 200 }, (_, index) => `node-${index}`)
    let [running, most, writes, rehearsals] = [0, 0, 0, 0]
    const kube = {
      list: async () => ({ items: [] }),
      create: async (_: unknown, object: object, options: { dryRun?: boolean }) => {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        if (options.dryRun === true) rehearsals++
        else writes++
        return object
      },
    }
    const { signal } = new AbortController()
    const begun = await beginDrain({ kube, signal } as never, several(...nodes), { isDry: false })
    expect({ writes, rehearsals, most }).toEqual({ writes: 200, rehearsals: 1, most: 10 })
    expect(renderBegun(begun, false)).toBe('rack: 200 nodemaintenances created at stage Drain, one for each node')
  })

  test('after a failure none begins that has not begun', async () => {
    const begun: number[] = []
    const failing = inTurn(
      Array.from({ length: 50 }, (_, index) => index),
      async (index) => {
        begun.push(index)
        await Promise.resolve()
        if (index === 3) throw new Error('no')
      },
    )
    await expect(failing).rejects.toThrow('no')
    expect(begun.length).toBeLessThan(30)
  })
})
