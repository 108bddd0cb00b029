import fc from 'fast-check'

// A random cluster, what is evacuated of it, and who meddles meanwhile: all of it data, so that a counterexample can be
// read and told again.

export interface Story {
  readonly nodes: number
  readonly workloads: readonly WorkloadStory[]
  readonly acts: readonly Act[]
}

export interface WorkloadStory {
  readonly kind: 'Deployment' | 'StatefulSet' | 'ReplicaSet'
  readonly replicas: number
  readonly maxSurge: number | string
  readonly maxUnavailable: number | string
  readonly strategy: 'RollingUpdate' | 'Recreate'
  readonly optsIn: boolean
  readonly minReadySeconds: number
  readonly readyAfterSeconds: number
  readonly budget: { readonly minAvailable: number | string } | { readonly maxUnavailable: number | string } | undefined
}

/** `of` and `which` are taken modulo what there is when their time comes. */
export type Act = { readonly atSeconds: number; readonly of: number } & (
  | { readonly kind: 'drain' }
  | {
      readonly kind: 'evacuate' | 'withdraw' | 'deleteEvacuation' | 'deletePod' | 'putLabelBack'
      readonly which: number
    }
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'roll' | 'pause' | 'resume' | 'rollBack' | 'deleteWorkload' | 'deleteReplicaSet' | 'nodeDies' }
)

const amount = fc.constantFrom<number | string>(0, 1, 2, '25%', '50%')

const budget = fc.option(
  fc.oneof(
    fc.record({ minAvailable: fc.constantFrom<number | string>(0, 1, 2, '50%', '100%') }),
    fc.record({ maxUnavailable: fc.constantFrom<number | string>(0, 1, '25%') }),
  ),
  { nil: undefined },
)

const workload: fc.Arbitrary<WorkloadStory> = fc
  .record({
    kind: fc.constantFrom('Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'ReplicaSet'),
    replicas: fc.integer({ min: 0, max: 5 }),
    maxSurge: amount,
    maxUnavailable: amount,
    strategy: fc.constantFrom('RollingUpdate', 'RollingUpdate', 'RollingUpdate', 'Recreate'),
    optsIn: fc.boolean(),
    minReadySeconds: fc.constantFrom(0, 0, 5),
    readyAfterSeconds: fc.constantFrom(0, 1, 4),
    budget,
  } as const)
  // Kubernetes refuses a Deployment that may neither grow nor shrink.
  .filter(({ maxSurge, maxUnavailable }) => maxSurge !== 0 || maxUnavailable !== 0)

const moment = { atSeconds: fc.integer({ min: 0, max: 60 }), of: fc.nat(5) }
const which = fc.nat(10)

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...moment, kind: fc.constant('drain' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...moment,
      kind: fc.constantFrom('evacuate', 'evacuate', 'withdraw', 'deleteEvacuation', 'deletePod', 'putLabelBack'),
      which,
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...moment, kind: fc.constant('scale' as const), replicas: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...moment,
      kind: fc.constantFrom(
        'roll',
        'roll',
        'pause',
        'resume',
        'rollBack',
        'deleteWorkload',
        'deleteReplicaSet',
        'nodeDies',
      ),
    }),
  },
)

export const story: fc.Arbitrary<Story> = fc.record({
  nodes: fc.integer({ min: 2, max: 4 }),
  workloads: fc.array(workload, { minLength: 1, maxLength: 3 }),
  acts: fc.array(act, { minLength: 1, maxLength: 8 }).map((acts) => acts.toSorted((a, b) => a.atSeconds - b.atSeconds)),
})
