import type { Scenario, World } from './scenario.ts'
import { arrangeNodes, merge, paths, reaches, readyPods, workload } from './workload-world.ts'

// The controller of autoscalers, by what a client sees of it where nobody measures anything.

const autoscalersPath = '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers'
const scalerPath = `${autoscalersPath}/web`
const deploymentPath = `${paths.deployments}/web`

async function arrange(world: World, replicas: number, spec: object): Promise<void> {
  await arrangeNodes(world, 2)
  await world.arrange('POST', paths.deployments, workload(world, { replicas }))
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  await world.arrange('POST', autoscalersPath, {
    metadata: { name: 'web', namespace: 'NS' },
    spec: { scaleTargetRef, ...spec },
  })
}

async function settles(world: World, replicas: number): Promise<void> {
  await readyPods(world, replicas)
  await reaches(world, scalerPath, { currentReplicas: replicas, desiredReplicas: replicas })
  const { body } = await world.read(deploymentPath)
  world.observe('replicas', (body['spec'] as { replicas: number }).replicas)
}

const bound = (world: World, spec: object) => world.arrange('PATCH', scalerPath, { spec }, merge)

export const autoscalerScenarios: readonly Scenario[] = [
  {
    name: 'raises what is below minReplicas, and leaves it when that is lowered',
    run: async (world) => {
      await arrange(world, 1, { minReplicas: 2, maxReplicas: 5 })
      await settles(world, 2)
      await bound(world, { minReplicas: 4 })
      await settles(world, 4)
      await bound(world, { minReplicas: 1 })
      for (let seconds = 0; seconds < 3; seconds++) await settles(world, 4)
    },
  },
  {
    name: 'lowers what is above maxReplicas',
    run: async (world) => {
      await arrange(world, 4, { maxReplicas: 3 })
      await settles(world, 3)
      const { body } = await world.read(scalerPath)
      world.observe('minReplicas by default', (body['spec'] as { minReplicas?: number }).minReplicas)
    },
  },
  {
    name: 'leaves what somebody has turned off',
    run: async (world) => {
      await arrange(world, 0, { minReplicas: 2, maxReplicas: 5 })
      await world.eventually(
        'it says that it does nothing',
        async () => {
          const { body } = await world.read(scalerPath)
          const { conditions = [] } = (body['status'] ?? {}) as { conditions?: { type: string; reason: string }[] }
          return conditions.find(({ type }) => type === 'ScalingActive')?.reason
        },
        (reason) => reason === 'ScalingDisabled',
      )
      await readyPods(world, 0)
      world.observe('stays at 0', true)
    },
  },
]
