/** A deviation planted on purpose: a suite that does not notice it would not notice a real one. */
export interface Mutation {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
}

const decide = 'src/embedded/server/eviction/decide-eviction.ts'
const evict = 'src/embedded/server/eviction/evict.ts'

export const evictionMutations: readonly Mutation[] = [
  { name: 'a Pending pod asks its budget', file: decide, find: `phase === 'Pending' || `, replace: '' },
  {
    name: 'a terminating pod asks its budget',
    file: decide,
    find: `pod.metadata.deletionTimestamp !== undefined\n`,
    replace: 'false\n',
  },
  { name: 'two budgets are allowed', file: decide, find: 'others.length > 0', replace: 'others.length > 1' },
  { name: 'AlwaysAllow is not known', file: decide, find: `=== 'AlwaysAllow'`, replace: `=== 'Always'` },
  { name: 'an unready pod may go when none is wanted', file: decide, find: ' && desiredHealthy > 0', replace: '' },
  {
    name: 'an unready pod may not go when the rest is just whole',
    file: decide,
    find: 'currentHealthy >= desiredHealthy',
    replace: 'currentHealthy > desiredHealthy',
  },
  {
    name: 'a budget behind its spec is asked',
    file: decide,
    find: '(status.observedGeneration ?? 0) < generation',
    replace: 'false',
  },
  {
    name: 'one pod in flight too few',
    file: decide,
    find: '.length > disruptedPodsMax',
    replace: '.length >= disruptedPodsMax',
  },
  {
    name: 'the numbers are swapped',
    file: decide,
    find: 'needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently',
    replace: 'needs ${currentHealthy} healthy pods and has ${desiredHealthy} currently',
  },
  {
    name: 'the time to wait is another',
    file: decide,
    find: 'stillProcessedRetrySeconds = 10',
    replace: 'stillProcessedRetrySeconds = 5',
  },
  {
    name: 'a dry run takes from the budget',
    file: evict,
    find: `decision.kind === 'deleteFromBudget' && !isDryRun`,
    replace: `decision.kind === 'deleteFromBudget'`,
  },
  {
    name: 'nothing is taken from the budget',
    file: evict,
    find: '(budget.status?.disruptionsAllowed ?? 0) - 1',
    replace: '(budget.status?.disruptionsAllowed ?? 0)',
  },
  { name: 'the pod is not noted in the budget', file: evict, find: `, [podName]: now`, replace: '' },
  {
    name: 'the name in the body does not matter',
    file: evict,
    find: 'eviction.metadata?.name !== name',
    replace: 'false',
  },
  {
    name: 'the pod is not told why',
    file: evict,
    find: `reason: 'EvictionByEvictionAPI'`,
    replace: `reason: 'Evicted'`,
  },
]
