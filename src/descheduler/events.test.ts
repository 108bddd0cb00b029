import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import { AssertionError } from '../runtime/assert.ts'
import * as tell from './events.ts'

const strategy = { profile: 'default', strategy: 'RemoveDuplicates' } as const
const pod = podView({ name: 'web-0', namespace: 'shop', nodeName: 'n1' })
const evictOnly = podView({ name: 'vm-0', marks: { requestEvictOnly: true } })
const limits = { total: 10, perNode: 2, perNamespace: 0 }
const eviction = 'pod eviction from n1 node by sigs.k8s.io/descheduler'

test.each([
  {
    name: 'an eviction is told in the words of upstream',
    event: tell.podEvicted(pod, strategy),
    expected: { type: 'Normal', reason: 'RemoveDuplicates', note: eviction },
  },
  {
    name: 'a request for an Evacuation names the node, the profile and the strategy',
    event: tell.podAskedToLeave(pod, strategy),
    expected: { type: 'Normal', reason: 'RemoveDuplicates', note: 'Asked to leave n1: default/RemoveDuplicates' },
  },
  {
    name: 'a failure names its cause',
    event: tell.evictionFailed(pod, 'budget web needs 2 healthy pods and has 1'),
    expected: {
      type: 'Warning',
      reason: 'EvictionFailed',
      note: `${eviction} failed: budget web needs 2 healthy pods and has 1`,
    },
  },
  {
    name: 'the limit of the cycle is told with its number',
    event: tell.limitExceeded({ pod, limit: 'totalLimit' }, limits),
    expected: {
      type: 'Warning',
      reason: 'EvictionFailed',
      note: `${eviction} failed: total eviction limit exceeded (10)`,
    },
  },
  {
    name: 'the limit of the node is told with its number',
    event: tell.limitExceeded({ pod, limit: 'nodeLimit' }, limits),
    expected: {
      type: 'Warning',
      reason: 'EvictionFailed',
      note: `${eviction} failed: node eviction limit exceeded (2)`,
    },
  },
  {
    name: 'the limit of the namespace is told with its number, even if that is 0',
    event: tell.limitExceeded({ pod, limit: 'namespaceLimit' }, limits),
    expected: {
      type: 'Warning',
      reason: 'EvictionFailed',
      note: `${eviction} failed: namespace eviction limit exceeded (0)`,
    },
  },
])('$name', ({ event, expected }) => {
  const about = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0', namespace: 'shop', uid: 'web-0-uid' } }
  expect(event).toEqual({ about, ...expected })
})

test('a limit that is not set stops no pod', () => {
  const none = { total: undefined, perNode: undefined, perNamespace: undefined }
  expect(() => tell.limitExceeded({ pod, limit: 'nodeLimit' }, none)).toThrow(AssertionError)
})

const requested = { kind: 'requested' } as const
const refused = { kind: 'refused', reason: 'not now' } as const

test.each([
  {
    name: 'a pod that was evicted',
    parts: { asked: requested, mode: 'evict', tellsFailures: false },
    expected: tell.podEvicted(pod, strategy),
  },
  {
    name: 'a pod that got an Evacuation',
    parts: { asked: requested, mode: 'evacuate', tellsFailures: false },
    expected: tell.podAskedToLeave(pod, strategy),
  },
  {
    name: 'a pod that asks for evictions, although others get Evacuations',
    of: evictOnly,
    parts: { asked: requested, mode: 'evacuate', tellsFailures: false },
    expected: tell.podEvicted(evictOnly, strategy),
  },
  {
    name: 'a refusal, if the policy wants that told',
    parts: { asked: refused, mode: 'evict', tellsFailures: true },
    expected: tell.evictionFailed(pod, 'not now'),
  },
  {
    name: 'no refusal otherwise',
    parts: { asked: refused, mode: 'evict', tellsFailures: false },
    expected: undefined,
  },
  {
    name: 'no promise',
    of: evictOnly,
    parts: { asked: { kind: 'promised' }, mode: 'evict', tellsFailures: true },
    expected: undefined,
  },
] as const)('tells $name', (row) => {
  expect(tell.eventOfAsked('of' in row ? row.of : pod, strategy, row.parts)).toEqual(row.expected)
})
