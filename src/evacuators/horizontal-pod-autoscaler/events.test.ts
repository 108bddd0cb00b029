import { expect, test } from 'vitest'
import { invalidPriority } from './events.ts'

test('an autoscaler is told what has no meaning', () => {
  expect(invalidPriority({ metadata: { name: 'web', namespace: 'shop', uid: '1' } }, 'it must be a number')).toEqual({
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
