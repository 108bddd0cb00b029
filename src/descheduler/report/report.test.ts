import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { StrategyRecord } from './report.ts'

test('a pod is spared once, for the first reason', () => {
  const record = new StrategyRecord({ profile: 'p', strategy: 'PodLifeTime' })
  const pod = podView({ name: 'a' })
  expect(record.noteSpared(pod, undefined)).toBeUndefined()
  expect(record.noteSpared(pod, 'it is precious')).toBe('it is precious')
  expect(record.noteSpared(pod, 'it fits nowhere')).toBe('it fits nowhere')
  expect(record.close().spared).toEqual([{ pod, reason: 'it is precious' }])
})
