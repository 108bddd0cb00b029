import { describe, expect, test } from 'vitest'
import { pods } from './pods.ts'

const pod = (spec: object = {}) => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
})
const fields = (now: object, before?: object) =>
  pods.validate?.(now as never, before as never).map(({ field }) => field)

describe('a pod', () => {
  test.each([
    { name: 'nothing asked', resources: {}, expected: 'BestEffort' },
    { name: 'something requested', resources: { requests: { cpu: '1' } }, expected: 'Burstable' },
    { name: 'all limited', resources: { limits: { cpu: '1' } }, expected: 'Guaranteed' },
    {
      name: 'limits above requests',
      resources: { limits: { cpu: '2' }, requests: { cpu: '1' } },
      expected: 'Burstable',
    },
  ])('with $name is $expected', ({ resources, expected }) => {
    const made = pods.prepareForCreate?.(pod({ containers: [{ name: 'main', image: 'web:1', resources }] }))
    expect(made).toMatchObject({ status: { phase: 'Pending', qosClass: expected } })
  })

  test('with a gate says that it waits for it', () => {
    expect(pods.prepareForCreate?.(pod({ schedulingGates: [{ name: 'x' }] }))).toMatchObject({
      status: { conditions: [{ reason: 'SchedulingGated' }] },
    })
  })

  test.each([
    { name: 'its image', change: { containers: [{ name: 'main', image: 'web:2' }] }, faults: [] },
    { name: 'its tolerations', change: { tolerations: [{ operator: 'Exists' }] }, faults: [] },
    { name: 'its node', change: { nodeName: 'two' }, faults: ['spec'] },
    {
      name: 'its gates, to more',
      change: { schedulingGates: [{ name: 'x' }] },
      faults: ['spec.schedulingGates[0].name'],
    },
  ])('may change $name: faults are $faults', ({ change, faults }) => {
    expect(fields(pod(change), pod())).toEqual(faults)
  })

  test('needs containers with names and images', () => {
    expect(fields({ metadata: {}, spec: {} })).toEqual(['spec.containers'])
    expect(fields(pod({ containers: [{}] }))).toEqual(['spec.containers[0].name', 'spec.containers[0].image'])
  })

  test('is found by its node and its phase', () => {
    const bound = { metadata: {}, spec: { nodeName: 'one' }, status: { phase: 'Running' } }
    expect(pods.selectableFields['spec.nodeName']?.(bound)).toBe('one')
    expect(pods.selectableFields['status.phase']?.(bound)).toBe('Running')
  })
})
