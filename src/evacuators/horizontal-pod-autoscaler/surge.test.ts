import { describe, expect, test } from 'vitest'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { isSame, isUntouched, raise, settle, surgeFor, surgeLimits, surgeOf, type Surge } from './surge.ts'

const key = 'evacuation.coordination.k8s.io/surge'

function autoscalerWith(
  minReplicas: number | undefined,
  surge?: Surge | string,
  maxReplicas = 10,
): HorizontalPodAutoscaler {
  const scaleTargetRef = { kind: 'Deployment', name: 'web' }
  const value = typeof surge === 'string' ? surge : JSON.stringify(surge)
  return {
    metadata: storedMeta({
      namespace: 'shop',
      name: 'web',
      ...(surge === undefined ? {} : { labels: { [key]: '' }, annotations: { [key]: value } }),
    }),
    spec: { scaleTargetRef, maxReplicas, ...(minReplicas === undefined ? {} : { minReplicas }) },
  }
}

const one: Surge = { found: 2, base: 3, set: 4, peak: 4, evacuations: ['a'] }
const two: Surge = { found: 2, base: 3, set: 5, peak: 5, evacuations: ['a', 'b'] }

describe('an autoscaler is raised', () => {
  test.each<{ name: string; autoscaler: HorizontalPodAutoscaler; replicas: number; expected: Surge }>([
    {
      name: 'above the replicas there are',
      autoscaler: autoscalerWith(2),
      replicas: 3,
      expected: { ...one, evacuations: ['new'] },
    },
    {
      name: 'above what it is about to scale to',
      autoscaler: autoscalerWith(2),
      replicas: 1,
      expected: { found: 2, base: 2, set: 3, peak: 3, evacuations: ['new'] },
    },
    {
      name: 'from 1 if it says nothing',
      autoscaler: autoscalerWith(undefined),
      replicas: 1,
      expected: { found: 1, base: 1, set: 2, peak: 2, evacuations: ['new'] },
    },
    {
      name: 'by one more for one more evacuation, though its replicas grew because of the first',
      autoscaler: autoscalerWith(4, one),
      replicas: 4,
      expected: { ...two, evacuations: ['a', 'new'] },
    },
    {
      name: 'no further when the replicas did not shrink yet after an evacuation',
      autoscaler: autoscalerWith(4, { ...one, peak: 6 }),
      replicas: 6,
      expected: { found: 2, base: 3, set: 5, peak: 6, evacuations: ['a', 'new'] },
    },
    {
      name: 'above what load has driven it to',
      autoscaler: autoscalerWith(4, one),
      replicas: 7,
      expected: { found: 2, base: 7, set: 9, peak: 9, evacuations: ['a', 'new'] },
    },
    {
      name: 'not beyond its maximum',
      autoscaler: autoscalerWith(4, one, 4),
      replicas: 4,
      expected: { ...one, evacuations: ['a', 'new'] },
    },
  ])('$name', ({ autoscaler, replicas, expected }) => {
    expect(surgeFor(autoscaler, replicas, 'new')).toEqual(expected)
  })

  test('once for an evacuation', () => {
    expect(isSame(surgeFor(autoscalerWith(4, one), 4, 'a'), one)).toBe(true)
    expect(isSame(one, undefined)).toBe(false)
  })

  test('for so many evacuations at once and no more', () => {
    const evacuations = Array.from({ length: surgeLimits.evacuationsMax }, (_, at) => `e${at}`)
    const full = { found: 2, base: 3, set: 1_003, peak: 1_003, evacuations }
    expect(isSame(surgeFor(autoscalerWith(1_003, full, 5_000), 1_003, 'new'), full)).toBe(true)
  })

  test('in one write with what is needed to put it back', () => {
    const autoscaler = autoscalerWith(2)
    expect(raise(autoscaler, one)).toMatchObject({
      object: autoscaler,
      change: {
        metadata: { labels: { [key]: '' }, annotations: { [key]: JSON.stringify(one) } },
        spec: { minReplicas: 4 },
      },
    })
  })
})

describe('an autoscaler whose evacuations are over', () => {
  const cleaned = { labels: { [key]: null }, annotations: { [key]: null } }
  test.each([
    {
      name: 'gets back what was found',
      autoscaler: autoscalerWith(4, one),
      over: ['a'],
      change: { metadata: cleaned, spec: { minReplicas: 2 } },
    },
    {
      name: 'keeps what somebody else has set',
      autoscaler: autoscalerWith(8, one),
      over: ['a'],
      change: { metadata: cleaned },
    },
    {
      name: 'loses a note that nobody can read',
      autoscaler: autoscalerWith(4, 'what?'),
      over: [],
      change: { metadata: cleaned },
    },
  ])('$name', ({ autoscaler, over, change }) => {
    expect(settle(autoscaler, (name) => over.includes(name))?.change).toEqual(change)
  })

  test('gets the label back by which it is found', () => {
    const { metadata, ...rest } = autoscalerWith(5, two)
    const { labels: _, ...unlabelled } = metadata
    const change = settle({ ...rest, metadata: unlabelled }, () => false)?.change
    expect(change).toEqual({ metadata: { labels: { [key]: '' }, annotations: { [key]: JSON.stringify(two) } } })
  })

  test('is lowered by those that are', () => {
    const lowered = { found: 2, base: 3, set: 4, peak: 5, evacuations: ['b'] }
    expect(settle(autoscalerWith(5, two), (name) => name === 'a')?.change).toMatchObject({
      metadata: { annotations: { [key]: JSON.stringify(lowered) } },
      spec: { minReplicas: 4 },
    })
  })

  test.each([
    { name: 'if none is over', autoscaler: autoscalerWith(5, two), over: [] },
    { name: 'if some are over and somebody else has set it', autoscaler: autoscalerWith(7, two), over: ['a'] },
    { name: 'if nothing was done to it', autoscaler: autoscalerWith(5), over: ['a'] },
  ])('stays as it is $name', ({ autoscaler, over }) => {
    expect(settle(autoscaler, (name) => over.includes(name))).toBeUndefined()
  })
})

test.each([
  '',
  '[]',
  '{}',
  'null',
  '{"found":1}',
  '{"found":"1","base":1,"set":2,"peak":2,"evacuations":[]}',
  '{"found":1,"base":1,"set":2,"peak":2,"evacuations":[1]}',
])('the note %j says nothing', (text) => {
  expect(surgeOf(autoscalerWith(1, text))).toBeUndefined()
})

test('an autoscaler is untouched while it has what was set', () => {
  expect(isUntouched(autoscalerWith(4, one), one)).toBe(true)
  expect(isUntouched(autoscalerWith(3, one), one)).toBe(false)
})
