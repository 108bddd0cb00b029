import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { expired, noteOf, podsWantedGone, renderNote } from './requests.ts'

const nowMs = Date.parse('2026-06-01T12:00:00Z')
const ours = 'evacuation.coordination.k8s.io/instigator_descheduler.sigs.k8s.io'
const minutesAgo = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString()

interface Choices {
  readonly finalizers?: string[]
  readonly asked?: number
  readonly created?: number
  readonly deleted?: boolean
  readonly policy?: 'Allow' | 'Forbid'
}

function evacuation({
  finalizers = [ours],
  asked,
  created = 5,
  deleted = false,
  policy = 'Allow',
}: Choices): Evacuation {
  const note = { profile: 'p', strategy: 'PodLifeTime', atMs: nowMs - (asked ?? 0) * 60_000 }
  return {
    metadata: storedMeta({
      namespace: 'shop',
      name: 'uid-1-web',
      finalizers,
      creationTimestamp: minutesAgo(created),
      ...(deleted ? { deletionTimestamp: minutesAgo(0) } : {}),
      ...(asked === undefined ? {} : { annotations: renderNote(note) }),
    }),
    spec: { podRef: { name: 'web', uid: 'uid-1' }, progressDeadlineSeconds: 1_800 },
    status: {
      activeEvacuatorCompleted: false,
      evacuationCancellationPolicy: policy,
      failedEvictionCounter: 0,
      message: '',
    },
  }
}

test.each([
  { name: 'asked for long ago', choices: { asked: 11 }, expected: true },
  { name: 'asked for exactly so long ago', choices: { asked: 10 }, expected: false },
  { name: 'asked for again since it was created', choices: { asked: 1, created: 60 }, expected: false },
  { name: 'without a note: since it was created', choices: { created: 11 }, expected: true },
  { name: 'without a note, young', choices: { created: 1 }, expected: false },
  { name: 'of others', choices: { asked: 60, finalizers: ['x/instigator_y'] }, expected: false },
  { name: 'of ours and of others', choices: { asked: 60, finalizers: ['x/instigator_y', ours] }, expected: true },
  { name: 'that may not be cancelled', choices: { asked: 60, policy: 'Forbid' as const }, expected: false },
  { name: 'that is being cancelled', choices: { asked: 60, deleted: true }, expected: false },
])('a request $name has run out of time: $expected', ({ choices, expected }) => {
  const found = expired([evacuation(choices)], { ttlMs: 600_000, nowMs })
  expect(found.map(({ pod }) => pod)).toEqual(expected ? [{ namespace: 'shop', name: 'web', uid: 'uid-1' }] : [])
})

test('whether others want the pod gone, too, is told', () => {
  const others = ['evacuation.coordination.k8s.io/instigator_drill.example.com', 'example.com/keeper']
  const isShared = (finalizers: string[]) =>
    expired([evacuation({ asked: 60, finalizers })], { ttlMs: 600_000, nowMs }).map((each) => each.isShared)
  expect([isShared([ours]), isShared([ours, ...others.slice(1)]), isShared([ours, ...others])]).toEqual([
    [false],
    [false],
    [true],
  ])
})

test('pods are wanted gone by whomever, unless that is being taken back', () => {
  expect([...podsWantedGone([evacuation({ finalizers: ['x/instigator_y'] })])]).toEqual(['uid-1'])
  expect(podsWantedGone([evacuation({ deleted: true })]).size).toBe(0)
})

test.each(['', '{}', '[]', '{"profile":"p","strategy":1,"at":"2026"}', '{"profile":"p","strategy":"s","at":"never"}'])(
  'the note %j is none',
  (text) => {
    const { metadata, ...rest } = evacuation({})
    const annotations = { 'evacuation.coordination.k8s.io/descheduler-request': text }
    expect(noteOf({ ...rest, metadata: { ...metadata, annotations } })).toBeUndefined()
  },
)

test('a note is read as it was written', () => {
  const note = { profile: 'p', strategy: 'PodLifeTime', atMs: nowMs - 60_000 }
  expect(noteOf(evacuation({ asked: 1 }))).toEqual(note)
})
