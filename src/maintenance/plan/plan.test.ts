import { describe, expect, test } from 'vitest'
import type { PodType } from '../../api/maintenance/pod-type.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { resolve, type Resolution } from './plan.ts'
import { byAge, type DrainingMaintenance, type DrainingNode } from './standing.ts'
import { tallyNode } from './pods.ts'
import { noTargets, type Targets } from './targets.ts'

type Entry = DrainingMaintenance['plan'][number]

const all = 2_147_483_647
const upTo = (podPriority: number, podType: PodType = 'Default', app?: string): Entry => ({
  podPriority,
  podType,
  ...(app === undefined ? {} : { podSelector: { matchLabels: { app } } }),
})
const everything = [upTo(all), upTo(all, 'DaemonSet'), upTo(all, 'Static')]

interface Batch {
  readonly priority: number
  readonly count?: number
  readonly podType?: PodType
  readonly app?: string
}

/** Nodes that are drained by plans, one resolution at a time. */
class Cluster {
  readonly #maintenances: { maintenance: DrainingMaintenance; nodes: readonly string[] }[] = []
  readonly #pods = new Map<string, { batch: Batch; isEvacuating: boolean }[]>()
  readonly #reached = new Map<string, Targets>()
  resolution: Resolution = { nodes: new Map(), maintenances: new Map() }

  maintain(name: string, nodes: readonly string[], plan: readonly Entry[]): void {
    const maintenance = { name, createdMs: this.#maintenances.length, plan }
    this.#maintenances.push({ maintenance, nodes })
  }

  put(node: string, ...batches: readonly Batch[]): void {
    const pods = batches.flatMap((batch) =>
      Array.from({ length: batch.count ?? 1 }, () => ({ batch, isEvacuating: false })),
    )
    this.#pods.set(node, [...(this.#pods.get(node) ?? []), ...pods])
  }

  /** As many of those that are evacuated go, or all. */
  leave(node: string, count = Number.POSITIVE_INFINITY): void {
    let left = count
    this.#pods.set(
      node,
      (this.#pods.get(node) ?? []).filter(({ isEvacuating }) => !isEvacuating || left-- <= 0),
    )
  }

  step(): void {
    this.resolution = resolve(this.#nodes().map(tallyNode))
    for (const [name, { targets, tally }] of this.resolution.nodes) {
      this.#reached.set(name, targets)
      const pods = this.#pods.get(name) ?? []
      tally.node.pods.leaving.forEach(({ podType, podPriority, pod }, index) => {
        const isTargeted = targets.some(
          (target) =>
            target.podType === podType &&
            podPriority <= target.podPriority &&
            (target.podSelector?.matchLabels?.['app'] ?? pod.metadata.labels?.['app']) === pod.metadata.labels?.['app'],
        )
        const entry = pods[index]
        if (isTargeted && entry !== undefined) entry.isEvacuating = true
      })
    }
    // Counts are those of the moment after.
    this.resolution = resolve(this.#nodes().map(tallyNode))
  }

  node(name: string): object {
    const outcome = this.resolution.nodes.get(name)
    return {
      podsPendingEvacuation: outcome?.tally.pending,
      podsEvacuating: outcome?.tally.evacuating,
      drainMessage: outcome?.message,
      drainTargets: outcome?.targets,
    }
  }

  maintenance(name: string): object {
    const outcome = this.resolution.maintenances.get(name)
    return {
      podsPendingEvacuation: outcome?.pending,
      podsEvacuating: outcome?.evacuating,
      drainMessage: outcome?.message,
      reachedDrainTargets: outcome?.reached,
    }
  }

  #nodes(): DrainingNode[] {
    const names = [...new Set(this.#maintenances.flatMap(({ nodes }) => nodes))]
    return names.map((name) => ({
      name,
      maintenances: this.#maintenances
        .filter(({ nodes }) => nodes.includes(name))
        .map(({ maintenance }) => maintenance)
        .toSorted(byAge),
      reached: this.#reached.get(name) ?? noTargets,
      pods: {
        leaving: (this.#pods.get(name) ?? []).map(({ batch, isEvacuating }) => ({
          pod: stored<Pod>({ metadata: { namespace: 'shop', labels: { app: batch.app ?? 'web' } } }),
          podType: batch.podType ?? 'Default',
          podPriority: batch.priority,
          isEvacuating,
        })),
        staying: {},
      },
    }))
  }
}

describe('the example of KEP-4212', () => {
  const cluster = new Cluster()
  const block = (pending: number, evacuating: number, drainMessage: string, priority: number) => ({
    podsPendingEvacuation: pending,
    podsEvacuating: evacuating,
    drainMessage,
    drainTargets: [{ podPriority: priority, podType: 'Default' }],
  })
  const status = (pending: number, evacuating: number, drainMessage: string, priority: number) => ({
    podsPendingEvacuation: pending,
    podsEvacuating: evacuating,
    drainMessage,
    reachedDrainTargets: [{ podPriority: priority, podType: 'Default' }],
  })

  test('two maintenances begin with the lowest entry on the node that they share', () => {
    cluster.maintain(
      'maintenance-a',
      ['one', 'two'],
      [upTo(5_000), upTo(15_000), upTo(3_000, 'DaemonSet'), ...everything.slice(1)],
    )
    cluster.maintain(
      'maintenance-b',
      ['one', 'three'],
      [upTo(10_000), upTo(15_000), upTo(4_000, 'DaemonSet'), ...everything.slice(1)],
    )
    cluster.put('one', { priority: 5_000, count: 10 }, { priority: 10_000, count: 30 }, { priority: 15_000, count: 70 })
    cluster.put(
      'two',
      { priority: 5_000, count: 7 },
      { priority: 15_000, count: 9 },
      { priority: 0, podType: 'DaemonSet', count: 21 },
    )
    cluster.put('three', { priority: 10_000, count: 25 }, { priority: 15_000, count: 45 })
    cluster.step()
    expect(cluster.maintenance('maintenance-a')).toEqual(status(130, 17, 'Evacuating', 5_000))
    expect(cluster.maintenance('maintenance-b')).toEqual(
      status(145, 35, 'Evacuating (limited by maintenance-a)', 5_000),
    )
    expect(cluster.node('one')).toEqual(block(100, 10, 'Evacuating', 5_000))
    expect(cluster.node('two')).toEqual(block(30, 7, 'Evacuating', 5_000))
    expect(cluster.node('three')).toEqual(block(45, 25, 'Evacuating', 10_000))
  })

  test('node three is done and waits for node one', () => {
    cluster.leave('three')
    cluster.leave('one', 5)
    cluster.step()
    expect(cluster.maintenance('maintenance-b')).toEqual(status(145, 5, 'Evacuating (limited by maintenance-a)', 5_000))
    expect(cluster.node('three')).toEqual(block(45, 0, 'Waiting for maintenance-a.', 10_000))
  })

  test('node one is done and waits for node two', () => {
    cluster.leave('one')
    cluster.leave('two', 5)
    cluster.step()
    expect(cluster.maintenance('maintenance-a')).toEqual(status(130, 2, 'Evacuating', 5_000))
    expect(cluster.maintenance('maintenance-b')).toEqual(status(145, 0, 'Waiting for maintenance-a.', 5_000))
    expect(cluster.node('one')).toEqual(block(100, 0, 'Waiting for maintenance-a.', 5_000))
    expect(cluster.node('two')).toEqual(block(30, 2, 'Evacuating', 5_000))
    expect(cluster.node('three')).toEqual(block(45, 0, 'Waiting for maintenance-a.', 10_000))
  })

  test('node two is done, and all go on as far as they may', () => {
    cluster.leave('two')
    cluster.step()
    expect(cluster.maintenance('maintenance-a')).toEqual(status(91, 39, 'Evacuating', 10_000))
    expect(cluster.maintenance('maintenance-b')).toEqual(status(115, 30, 'Evacuating', 10_000))
    expect(cluster.node('one')).toEqual(block(70, 30, 'Evacuating (limited by maintenance-b)', 10_000))
    expect(cluster.node('two')).toEqual(block(21, 9, 'Evacuating', 15_000))
    expect(cluster.node('three')).toEqual(block(45, 0, 'Waiting for maintenance-b.', 10_000))
  })

  test('a younger maintenance with a lower plan takes nothing back', () => {
    cluster.maintain('maintenance-c', ['one', 'four'], [upTo(2_000), upTo(15_000), ...everything])
    cluster.put('four', { priority: 2_000, count: 5 }, { priority: 15_000, count: 20 })
    cluster.step()
    expect(cluster.maintenance('maintenance-c')).toEqual(status(90, 35, 'Evacuating', 2_000))
    expect(cluster.node('one')).toEqual(block(70, 30, 'Evacuating (limited by maintenance-b, maintenance-c)', 10_000))
    expect(cluster.node('four')).toEqual(block(20, 5, 'Evacuating', 2_000))
    expect(cluster.resolution.maintenances.get('maintenance-c')?.forwardedBy).toEqual([
      'maintenance-a',
      'maintenance-b',
    ])
    expect(cluster.resolution.maintenances.get('maintenance-b')?.forwardedBy).toEqual([])
  })

  test('in the end all is drained', () => {
    for (let steps = 0; steps < 10; steps++) {
      for (const node of ['one', 'two', 'three', 'four']) cluster.leave(node)
      cluster.step()
    }
    for (const name of ['maintenance-a', 'maintenance-b', 'maintenance-c']) {
      expect(cluster.resolution.maintenances.get(name)).toMatchObject({
        isDrained: true,
        message: 'Drained',
        pending: 0,
      })
    }
  })
})

test("the example of KEP-4212 'PodTypes and Label Selectors Progression'", () => {
  const cluster = new Cluster()
  cluster.maintain(
    'maintenance',
    ['five'],
    [
      upTo(1_000),
      upTo(2_000, 'Default', 'postgres'),
      upTo(all),
      upTo(1_000, 'DaemonSet'),
      upTo(all, 'DaemonSet'),
      upTo(all, 'Static'),
    ],
  )
  cluster.put(
    'five',
    { priority: 1_000 },
    { priority: 2_000, app: 'postgres' },
    { priority: 2_000 },
    { priority: 1_000, podType: 'DaemonSet' },
    { priority: 2_000, podType: 'DaemonSet' },
    { priority: 2_000, podType: 'Static' },
  )
  const seen: object[] = []
  for (let steps = 0; steps < 6; steps++) {
    cluster.step()
    seen.push(cluster.resolution.nodes.get('five')?.targets ?? [])
    cluster.leave('five')
  }
  const postgres = (priority: number) => upTo(priority, 'Default', 'postgres')
  expect(seen).toEqual([
    [upTo(1_000), postgres(1_000)],
    [upTo(1_000), postgres(2_000)],
    [upTo(all), postgres(all)],
    [upTo(all), postgres(all), upTo(1_000, 'DaemonSet')],
    [upTo(all), postgres(all), upTo(all, 'DaemonSet')],
    [upTo(all), postgres(all), upTo(all, 'DaemonSet'), upTo(all, 'Static')],
  ])
})

test('plans that contradict one another: the older one goes its way', () => {
  const cluster = new Cluster()
  cluster.maintain('old', ['one'], [upTo(1_000, 'Default', 'web'), ...everything])
  cluster.maintain('young', ['one'], [upTo(1_000, 'Default', 'mail'), ...everything])
  cluster.put('one', { priority: 500, app: 'web' }, { priority: 500, app: 'mail' })
  cluster.step()
  expect(cluster.node('one')).toMatchObject({ podsEvacuating: 1, podsPendingEvacuation: 1 })
  expect(cluster.resolution.nodes.get('one')?.targets).toEqual(expect.arrayContaining([upTo(1_000, 'Default', 'web')]))
  cluster.leave('one')
  cluster.step()
  cluster.leave('one')
  cluster.step()
  expect(cluster.node('one')).toMatchObject({ drainMessage: 'Drained' })
})

test('two that come at the same moment: the younger one does not go on while the older one has begun', () => {
  const cluster = new Cluster()
  cluster.maintain('older', ['shared', 'two'], [upTo(1_000), ...everything])
  cluster.maintain('younger', ['shared', 'three'], [upTo(1_000), upTo(5_000), ...everything])
  cluster.put('two', { priority: 1_000 })
  cluster.put('shared', { priority: 5_000 })
  cluster.put('three', { priority: 5_000 })
  cluster.step()
  expect(cluster.node('three')).toEqual({
    podsPendingEvacuation: 1,
    podsEvacuating: 0,
    drainMessage: 'Waiting for older.',
    drainTargets: [upTo(1_000)],
  })
  cluster.leave('two')
  cluster.step()
  expect(cluster.node('three')).toMatchObject({ podsEvacuating: 1, drainMessage: 'Evacuating' })
})
