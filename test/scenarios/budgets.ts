import type { Scenario, World } from './scenario.ts'
import { arrangeNodes, paths, readyPods, statusOf, template, workload } from './workload-world.ts'

// What a PodDisruptionBudget makes of the pods that are there.

const selector = { matchLabels: { app: 'web' } }

interface BudgetCase {
  readonly name: string
  readonly spec: object
  readonly pods: (world: World) => Promise<number>
}

const deployment = (replicas: number) => async (world: World) => {
  await world.arrange('POST', paths.deployments, workload(world, { replicas }))
  return replicas
}

const statefulSet = (replicas: number) => async (world: World) => {
  await world.arrange(
    'POST',
    paths.statefulSets,
    workload(world, { replicas, serviceName: 'web', podManagementPolicy: 'Parallel' }),
  )
  return replicas
}

const barePods = (count: number) => async (world: World) => {
  for (let at = 0; at < count; at++) {
    const { metadata, spec } = template(world) as { metadata: object; spec: object }
    await world.arrange('POST', paths.pods, { metadata: { ...metadata, name: `bare-${at}`, namespace: 'NS' }, spec })
  }
  return count
}

const cases: readonly BudgetCase[] = [
  { name: 'one replica, minAvailable 1', spec: { minAvailable: 1 }, pods: deployment(1) },
  { name: 'two replicas, maxUnavailable 0', spec: { maxUnavailable: 0 }, pods: deployment(2) },
  { name: 'three replicas, minAvailable 2', spec: { minAvailable: 2 }, pods: deployment(3) },
  { name: 'three replicas, minAvailable 50%', spec: { minAvailable: '50%' }, pods: deployment(3) },
  { name: 'three replicas, maxUnavailable 50%', spec: { maxUnavailable: '50%' }, pods: deployment(3) },
  { name: 'five replicas, maxUnavailable 10%', spec: { maxUnavailable: '10%' }, pods: deployment(5) },
  { name: 'five replicas, minAvailable 100%', spec: { minAvailable: '100%' }, pods: deployment(5) },
  { name: 'two replicas, minAvailable 5', spec: { minAvailable: 5 }, pods: deployment(2) },
  { name: 'two replicas, maxUnavailable 5', spec: { maxUnavailable: 5 }, pods: deployment(2) },
  { name: 'a StatefulSet of three, maxUnavailable 1', spec: { maxUnavailable: 1 }, pods: statefulSet(3) },
  { name: 'two bare pods, minAvailable 1', spec: { minAvailable: 1 }, pods: barePods(2) },
  {
    name: 'two bare pods, maxUnavailable 1: nobody knows how many are wanted',
    spec: { maxUnavailable: 1 },
    pods: barePods(2),
  },
]

export const budgetScenarios: readonly Scenario[] = cases.map(({ name, spec, pods }) => ({
  name,
  run: async (world) => {
    await arrangeNodes(world, 1)
    const count = await pods(world)
    await readyPods(world, count)
    await world.arrange('POST', paths.budgets, {
      metadata: { name: 'web', namespace: 'NS' },
      spec: { ...spec, selector },
    })
    const status = await world.eventually(
      'the budget is synced',
      () => statusOf(world, `${paths.budgets}/web`),
      ({ observedGeneration, currentHealthy }) => observedGeneration === 1 && currentHealthy === count,
    )
    const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, conditions } = status
    const said = (conditions as { type: string; status: string; reason: string }[]).map(
      ({ type, status: value, reason }) => `${type} ${value} ${reason}`,
    )
    world.observe('the budget', { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, said })
  },
}))
