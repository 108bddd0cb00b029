import { expect, test } from 'vitest'
import { ControllerGround, templateOf } from '../../../../test/build/controller-ground.ts'
import { startHorizontalPodAutoscalerController } from './horizontal-pod-autoscaler.ts'

test('keeps its target within the bounds, also when they move', async () => {
  await using ground = new ControllerGround([startHorizontalPodAutoscalerController])
  await ground.create('deployments.apps', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: templateOf({ app: 'web' }) },
  })
  await ground.create('horizontalpodautoscalers.autoscaling', {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      minReplicas: 2,
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    },
  })
  await ground.settle()
  const replicas = () => ground.get('deployments.apps', 'web')?.spec?.replicas
  expect(replicas()).toBe(2)
  await ground.patch('horizontalpodautoscalers.autoscaling', 'web', { spec: { minReplicas: 4 } })
  await ground.settle()
  expect(replicas()).toBe(4)
  await ground.patch('deployments.apps', 'web', { spec: { replicas: 8 } })
  await ground.settle()
  expect(replicas()).toBe(5)
  expect(ground.get('horizontalpodautoscalers.autoscaling', 'web')?.status).toMatchObject({
    desiredReplicas: 5,
    conditions: expect.arrayContaining([expect.objectContaining({ type: 'AbleToScale', status: 'True' })]),
  })
  await ground.patch('deployments.apps', 'web', { spec: { replicas: 0 } })
  await ground.settle()
  expect(replicas()).toBe(0)
})
