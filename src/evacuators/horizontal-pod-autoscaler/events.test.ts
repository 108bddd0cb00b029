import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { invalidPriority } from './events.ts'

test('an autoscaler is told what has no meaning', () => {
  const autoscaler = stored<HorizontalPodAutoscaler>({ metadata: { name: 'web', namespace: 'shop', uid: '1' } })
  expect(invalidPriority(autoscaler, 'it must be a number')).toEqual({
    about: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop', uid: '1' },
    },
    type: 'Warning',
    reason: 'InvalidEvacuationPriority',
    note: 'Takes no part in evacuations: it must be a number',
  })
})
