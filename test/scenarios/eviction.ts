import type { Scenario, World } from './scenario.ts'

// Every rule of the eviction subresource, KEP-3017 included. The budgets' numbers are written by hand, so that each case
// is exactly what it says: for a Kubernetes without controllers.

const pods = '/api/v1/namespaces/NS/pods'
const budgets = '/apis/policy/v1/namespaces/NS/poddisruptionbudgets'

interface PodState {
  readonly phase?: string
  readonly ready?: boolean
  readonly terminating?: boolean
}

interface BudgetState {
  readonly name?: string
  readonly policy?: string
  readonly allowed?: number
  readonly healthy?: number
  readonly desired?: number
  /** Behind the spec: the disruption controller has not seen it yet. */
  readonly isBehind?: boolean
  readonly disruptedPods?: number
  readonly condition?: { readonly reason: string; readonly message: string }
  readonly selector?: object
}

interface EvictionCase {
  readonly name: string
  readonly pod: PodState
  readonly budgets?: readonly BudgetState[]
  readonly eviction?: {
    readonly name?: string
    readonly deleteOptions?: object
    readonly query?: Readonly<Record<string, string>>
    readonly apiVersion?: string
  }
}

async function arrangePod(
  world: World,
  { phase = 'Running', ready = true, terminating = false }: PodState,
): Promise<void> {
  const finalizers = terminating ? ['example.com/hold'] : []
  await world.arrange('POST', pods, {
    metadata: { name: 'a', namespace: 'NS', labels: { app: 'web' }, finalizers },
    spec: { nodeName: 'one', containers: [{ name: 'main', image: 'web:1' }] },
  })
  const time = '2026-01-01T00:00:00Z'
  const conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: time },
  ]
  await world.arrange(
    'PATCH',
    `${pods}/a/status`,
    { status: { phase, conditions } },
    { contentType: 'application/merge-patch+json' },
  )
  if (terminating) await world.arrange('DELETE', `${pods}/a`, { gracePeriodSeconds: 30 })
}

async function arrangeBudget(world: World, state: BudgetState): Promise<void> {
  const {
    name = 'web',
    policy,
    allowed = 0,
    healthy = 1,
    desired = 1,
    isBehind = false,
    disruptedPods = 0,
    condition,
  } = state
  const selector = state.selector ?? { matchLabels: { app: 'web' } }
  const spec = { minAvailable: 1, selector, ...(policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy }) }
  await world.arrange('POST', budgets, { metadata: { name, namespace: 'NS' }, spec })
  const disrupted = Array.from({ length: disruptedPods }, (_, at) => [`gone-${at}`, '2026-01-01T00:00:00Z'] as const)
  const status = {
    observedGeneration: isBehind ? 0 : 1,
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: 3,
    ...(disruptedPods === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
    ...(condition === undefined
      ? {}
      : {
          conditions: [
            { type: 'DisruptionAllowed', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z', ...condition },
          ],
        }),
  }
  await world.arrange('PATCH', `${budgets}/${name}/status`, { status }, { contentType: 'application/merge-patch+json' })
}

async function observeOutcome(world: World, names: readonly string[]): Promise<void> {
  const { body } = await world.send('GET', `${pods}/a`)
  const { metadata, status } = body as {
    metadata?: Record<string, unknown>
    status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] }
  }
  const isMarked = metadata?.['deletionTimestamp'] !== undefined
  const conditions = status?.conditions?.map(({ type, status: value, reason, message }) => ({
    type,
    value,
    reason,
    message,
  }))
  world.observe('the pod', { isMarked, grace: metadata?.['deletionGracePeriodSeconds'], conditions })
  for (const name of names) {
    const budget = await world.send('GET', `${budgets}/${name}`)
    const {
      disruptionsAllowed,
      disruptedPods,
      currentHealthy,
      conditions: said,
    } = (budget.body['status'] ?? {}) as Record<string, unknown>
    const noted = Object.keys(disruptedPods ?? {}).filter((podName) => podName === 'a')
    const reasons = ((said ?? []) as { status: string; reason: string }[]).map(
      ({ status: value, reason }) => `${value} ${reason}`,
    )
    world.observe(`the budget ${name}`, { disruptionsAllowed, noted, currentHealthy, reasons })
  }
}

const policies = [undefined, 'IfHealthyBudget', 'AlwaysAllow']

/** The heart of KEP-3017: who may go under which policy, whether the application is whole, short, or has room. */
const policyCases: readonly EvictionCase[] = policies.flatMap((policy) =>
  [true, false].flatMap((ready) =>
    [
      { state: 'has room', numbers: { allowed: 1, healthy: 2, desired: 1 } },
      { state: 'is just whole', numbers: { allowed: 0, healthy: 1, desired: 1 } },
      { state: 'is short', numbers: { allowed: 0, healthy: 0, desired: 1 } },
      { state: 'wants none', numbers: { allowed: 0, healthy: 0, desired: 0 } },
    ].map(({ state, numbers }) => ({
      name: `a ${ready ? 'ready' : 'unready'} pod under policy ${policy ?? 'nil'} when the application ${state}`,
      pod: { ready },
      budgets: [{ ...numbers, ...(policy === undefined ? {} : { policy }) }],
    })),
  ),
)

const stateCases: readonly EvictionCase[] = ['Succeeded', 'Failed', 'Pending'].map((phase) => ({
  name: `a ${phase} pod goes without asking its budget`,
  pod: { phase, ready: false },
  budgets: [{ allowed: 0, healthy: 0, desired: 1 }],
}))

const otherCases: readonly EvictionCase[] = [
  { name: 'a terminating pod goes without asking its budget', pod: { terminating: true }, budgets: [{ allowed: 0 }] },
  { name: 'no budget matches', pod: {}, budgets: [] },
  {
    name: 'a budget of another application does not count',
    pod: {},
    budgets: [{ selector: { matchLabels: { app: 'other' } } }],
  },
  { name: 'an empty selector matches all', pod: {}, budgets: [{ selector: {} }] },
  {
    name: 'a selector by expression',
    pod: {},
    budgets: [{ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'api'] }] } }],
  },
  {
    name: 'two budgets match',
    pod: {},
    budgets: [
      { name: 'one', allowed: 1 },
      { name: 'two', allowed: 1 },
    ],
  },
  {
    name: 'two budgets match a Pending pod',
    pod: { phase: 'Pending', ready: false },
    budgets: [{ name: 'one' }, { name: 'two' }],
  },
  { name: 'the budget is behind its spec', pod: {}, budgets: [{ allowed: 5, isBehind: true }] },
  {
    name: 'the budget is behind its spec and the pod unready',
    pod: { ready: false },
    budgets: [{ allowed: 0, healthy: 0, isBehind: true }],
  },
  {
    name: 'the budget is behind its spec but always allows',
    pod: { ready: false },
    budgets: [{ policy: 'AlwaysAllow', healthy: 0, isBehind: true }],
  },
  { name: '2,000 pods are in flight', pod: {}, budgets: [{ allowed: 1, disruptedPods: 2_000 }] },
  { name: '2,001 pods are in flight', pod: {}, budgets: [{ allowed: 1, disruptedPods: 2_001 }] },
  {
    name: 'the budget failed to sync',
    pod: {},
    budgets: [{ condition: { reason: 'SyncFailed', message: 'found no controllers for pod "a"' } }],
  },
  {
    name: 'more healthy than desired and nothing allowed',
    pod: {},
    budgets: [{ healthy: 3, desired: 1, condition: { reason: 'InsufficientPods', message: '' } }],
  },
  {
    name: 'more healthy than desired and a reason given',
    pod: {},
    budgets: [{ healthy: 3, desired: 1, condition: { reason: 'Somehow', message: 'because' } }],
  },
  { name: 'another name in the body', pod: {}, eviction: { name: 'b' } },
  { name: 'a dry run in the query', pod: {}, budgets: [{ allowed: 1 }], eviction: { query: { dryRun: 'All' } } },
  {
    name: 'a dry run in the body',
    pod: {},
    budgets: [{ allowed: 1 }],
    eviction: { deleteOptions: { dryRun: ['All'] } },
  },
  {
    name: 'a dry run in both places',
    pod: {},
    budgets: [{ allowed: 1 }],
    eviction: { deleteOptions: { dryRun: ['All'] }, query: { dryRun: 'All' } },
  },
  {
    name: 'a dry run against a full budget',
    pod: {},
    budgets: [{ allowed: 0 }],
    eviction: { query: { dryRun: 'All' } },
  },
  {
    name: 'another UID as a precondition',
    pod: {},
    eviction: { deleteOptions: { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } } },
  },
  {
    name: 'another UID as a precondition, with a budget that has room',
    pod: {},
    budgets: [{ allowed: 1 }],
    eviction: { deleteOptions: { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } } },
  },
  {
    name: 'another version as a precondition',
    pod: {},
    eviction: { deleteOptions: { preconditions: { resourceVersion: '1' } } },
  },
  { name: 'a grace period of its own', pod: {}, eviction: { deleteOptions: { gracePeriodSeconds: 5 } } },
  {
    name: 'a grace period of 0',
    pod: {},
    budgets: [{ allowed: 1 }],
    eviction: { deleteOptions: { gracePeriodSeconds: 0 } },
  },
]

function scenarioOf({ name, pod, budgets: states = [], eviction = {} }: EvictionCase): Scenario {
  return {
    name,
    run: async (world) => {
      await arrangePod(world, pod)
      for (const state of states) await arrangeBudget(world, state)
      const { deleteOptions, query } = eviction
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: eviction.name ?? 'a', namespace: 'NS' },
        ...(deleteOptions === undefined ? {} : { deleteOptions }),
      }
      await world.send('POST', `${pods}/a/eviction`, body, query === undefined ? {} : { query })
      await observeOutcome(
        world,
        states.map((state) => state.name ?? 'web'),
      )
    },
  }
}

const noPod: Scenario = {
  name: 'a pod that is not there',
  run: async (world) => {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a', namespace: 'NS' } }
    await world.send('POST', `${pods}/a/eviction`, body)
  },
}

export const evictionScenarios: readonly Scenario[] = [
  ...[...policyCases, ...stateCases, ...otherCases].map(scenarioOf),
  noPod,
]
