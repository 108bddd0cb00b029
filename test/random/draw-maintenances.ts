import fc from 'fast-check'
import type { Stage } from '../../src/api/maintenance/stage.ts'

// Maintenances that come, go on, overlap and go, while nodes change hands and Lifeboat dies.

export const nodeNames = ['n0', 'n1', 'n2', 'n3'] as const
export const maintenanceNames = ['m0', 'm1', 'm2'] as const
export const priorities = [1_000, 5_000] as const
export type NodeName = (typeof nodeNames)[number]
export type MaintenanceName = (typeof maintenanceNames)[number]

/** Which nodes: those of a pool, or one. */
export type Selection = { readonly pool: string } | { readonly node: NodeName }

export type Act =
  | {
      readonly kind: 'announce'
      readonly name: MaintenanceName
      readonly stage: Stage
      readonly selection: Selection
      /** Where its plan stops, before the default entries. */
      readonly plan: readonly number[]
    }
  | { readonly kind: 'move'; readonly name: MaintenanceName; readonly stage: Stage }
  | { readonly kind: 'delete'; readonly name: MaintenanceName }
  | { readonly kind: 'label'; readonly node: NodeName; readonly pool: string | null }
  | { readonly kind: 'uncordon'; readonly node: NodeName }
  | { readonly kind: 'put'; readonly node: NodeName; readonly isHeld: boolean; readonly priority: number | undefined }
  /** One of the pods that were put, by its number. */
  | { readonly kind: 'take'; readonly pod: number }
  | { readonly kind: 'kill' }

export interface MaintenanceStory {
  readonly pools: readonly string[]
  /** Cordoned by an admin before anything happens. */
  readonly cordoned: readonly NodeName[]
  /** There from the start. */
  readonly pods: readonly Extract<Act, { kind: 'put' }>[]
  readonly acts: readonly { readonly act: Act; readonly thenMs: number }[]
  /** What lies between Lifeboat and the API server. */
  readonly slowness: { readonly requestMaxMs: number; readonly watchMaxMs: number }
}

const pool = fc.constantFrom('old', 'new')
const node = fc.constantFrom(...nodeNames)
const name = fc.constantFrom(...maintenanceNames)
const selection = fc.oneof(fc.record({ pool }), fc.record({ node }))
const plan = fc.constantFrom([], [1_000], [0, 5_000])
const put = fc.record({
  kind: fc.constant('put' as const),
  node,
  isHeld: fc.boolean(),
  priority: fc.constantFrom(undefined, ...priorities),
})

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('announce' as const),
      name,
      stage: fc.constantFrom<Stage>('Idle', 'Cordon', 'Drain', 'Drain', 'Drain'),
      selection,
      plan,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      name,
      stage: fc.constantFrom<Stage>('Cordon', 'Drain', 'Complete'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('label' as const), node, pool: fc.option(pool, { nil: null }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('uncordon' as const), node }) },
  { weight: 3, arbitrary: put },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), pod: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'kill' as const }) },
)

export const maintenanceStory: fc.Arbitrary<MaintenanceStory> = fc.record({
  pools: fc.array(pool, { minLength: nodeNames.length, maxLength: nodeNames.length }),
  cordoned: fc.subarray([...nodeNames], { maxLength: 1 }),
  pods: fc.array(put, { minLength: 3, maxLength: 6 }),
  acts: fc.array(fc.record({ act, thenMs: fc.constantFrom(0, 0, 10, 50, 200, 1_000, 3_000) }), { maxLength: 30 }),
  slowness: fc.constantFrom(
    { requestMaxMs: 1, watchMaxMs: 1 },
    { requestMaxMs: 20, watchMaxMs: 40 },
    { requestMaxMs: 100, watchMaxMs: 300 },
  ),
})
