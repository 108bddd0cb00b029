import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { optInOf } from './opt-in.ts'

const key = 'evacuation.coordination.k8s.io/priority'
const autoscalerWith = (value: string | undefined) =>
  stored<HorizontalPodAutoscaler>({
    metadata: { namespace: 'shop', name: 'web', ...(value === undefined ? {} : { annotations: { [key]: value } }) },
  })

test.each([
  { value: undefined, expected: { kind: 'none' } },
  { value: '', expected: { kind: 'priority', priority: 9_000 } },
  { value: 'true', expected: { kind: 'priority', priority: 9_000 } },
  { value: '0', expected: { kind: 'priority', priority: 0 } },
  { value: '12000', expected: { kind: 'priority', priority: 12_000 } },
  { value: '100000', expected: { kind: 'priority', priority: 100_000 } },
])('an autoscaler with the annotation $value opts in: $expected', ({ value, expected }) => {
  expect(optInOf(autoscalerWith(value))).toEqual(expected)
})

test.each(['10000', '100001', '-1', '1.5', 'false', 'yes', ' 9000', '9000/knowledgeable', '1e4'])(
  'the annotation %j has no meaning, and the message says what would have',
  (value) => {
    const message = `metadata.annotations[${key}] is ${JSON.stringify(value)}: it must be a whole number from 0 to 100000 other than 10000, which is the controllers', or true for 9000`
    expect(optInOf(autoscalerWith(value))).toEqual({ kind: 'invalid', message })
  },
)
