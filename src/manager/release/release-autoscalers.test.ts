import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import { releaseAutoscalers } from './release-autoscalers.ts'

test('autoscalers get back what was found, unless somebody else changed it meanwhile', async () => {
  await using ground = await openLifeboatGround({ controllers: false })
  const surge = JSON.stringify({ found: 2, base: 3, set: 4, peak: 4, evacuations: ['e'] })
  const create = (name: string, minReplicas: number, raised: boolean) =>
    ground.until(
      ground.admin.create(horizontalPodAutoscalers, {
        metadata: {
          namespace: 'default',
          name,
          ...(raised
            ? { labels: { [labels.autoscalerSurge]: '' }, annotations: { [annotations.autoscalerSurge]: surge } }
            : {}),
        },
        spec: { minReplicas, maxReplicas: 9, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
      }),
    )
  await create('raised', 4, true)
  await create('changed', 6, true)
  await create('other', 4, false)
  expect(await ground.until(releaseAutoscalers({ kube: ground.admin, clock: ground.clock }))).toBe(2)
  const { items } = await ground.until(ground.admin.list(horizontalPodAutoscalers))
  expect(items.map(({ metadata, spec }) => [metadata.name, spec?.minReplicas, metadata.annotations ?? {}])).toEqual([
    ['changed', 6, {}],
    ['other', 4, {}],
    ['raised', 2, {}],
  ])
  expect(await ground.until(releaseAutoscalers({ kube: ground.admin, clock: ground.clock }))).toBe(0)
})
