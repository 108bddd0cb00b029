import { describe, expect, test } from 'vitest'
import {
  buildEvacuationOfWeb,
  buildReviewRequest,
  buildWeb,
  otherUid,
  podUid,
} from '../../../test/build/review-request.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import {
  decideInterception,
  mayComeFromEvacuator,
  parseEviction,
  passBecauseOfPod,
  type EvictionView,
} from './decide-interception.ts'

const interceptionFinalizer = 'evacuation.coordination.k8s.io/instigator_eviction.evacuation.coordination.k8s.io'
const claimed = { annotations: { 'evacuation.coordination.k8s.io/priority_a.example.com': '5' } }
const evacuationOf = (extra: Parameters<typeof buildEvacuationOfWeb>[0]) =>
  buildEvacuationOfWeb(extra) as unknown as Evacuation

const active = (extra: object = {}, status: object = {}) =>
  evacuationOf({ ...extra, status: { activeEvacuatorClass: 'a.example.com', ...status } })

describe('parseEviction', () => {
  test.each([
    { name: 'nothing said', object: {}, dryRun: false, expected: {} },
    { name: 'no object at all', object: undefined, dryRun: false, expected: {} },
    { name: 'a dry run in the URL', object: {}, dryRun: true, expected: { isDryRun: true } },
    {
      name: 'a dry run in the body alone',
      object: { deleteOptions: { dryRun: ['All'] } },
      dryRun: false,
      expected: { isDryRun: true },
    },
    { name: 'an empty list of dry runs', object: { deleteOptions: { dryRun: [] } }, dryRun: false, expected: {} },
    {
      name: 'a UID',
      object: { deleteOptions: { preconditions: { uid: podUid } } },
      dryRun: false,
      expected: { podUid },
    },
    {
      name: 'an evacuator',
      object: { metadata: { annotations: { 'evacuation.coordination.k8s.io/evacuator': 'a.example.com' } } },
      dryRun: false,
      expected: { evictingEvacuator: 'a.example.com' },
    },
    {
      name: 'nonsense',
      object: { metadata: 7, deleteOptions: { dryRun: 'All', preconditions: [] } },
      dryRun: false,
      expected: {},
    },
  ])('reads $name', ({ object, dryRun, expected }) => {
    expect(parseEviction(buildReviewRequest({ object, dryRun }))).toEqual({
      isDryRun: false,
      podUid: '',
      evictingEvacuator: '',
      ...expected,
    })
  })
})

describe('passBecauseOfPod', () => {
  const facts = { isDryRun: false, podUid: '', evictingEvacuator: '' }
  test.each<{ name: string; pod: Pod | undefined; podUid?: string; expected: string | undefined }>([
    { name: 'no pod', pod: undefined, expected: 'noPod' },
    { name: 'a pod that is going', pod: buildWeb({ deletionTimestamp: 'soon' }), expected: 'podIsLeaving' },
    {
      name: 'a pod that has succeeded',
      pod: buildWeb({}, { status: { phase: 'Succeeded' } }),
      expected: 'podIsLeaving',
    },
    { name: 'a pod that has failed', pod: buildWeb({}, { status: { phase: 'Failed' } }), expected: 'podIsLeaving' },
    { name: 'another pod than is meant', pod: buildWeb(), podUid: otherUid, expected: 'otherPod' },
    { name: 'the pod that is meant', pod: buildWeb(), podUid, expected: undefined },
    { name: 'a pod that runs', pod: buildWeb({}, { status: { phase: 'Running' } }), expected: undefined },
    { name: 'a pod that waits for a node', pod: buildWeb({}, { status: { phase: 'Pending' } }), expected: undefined },
  ])('$name: $expected', ({ pod, podUid: uid = '', expected }) => {
    expect(passBecauseOfPod(pod, { ...facts, podUid: uid })).toBe(expected)
  })
})

describe('decideInterception', () => {
  const view: EvictionView = {
    pod: buildWeb(),
    evacuation: undefined,
    claims: [],
    evictingEvacuator: '',
    isPodEvictPolicyOn: true,
    isFreeDaemon: false,
    evictor: 'other',
  }
  const daemon = { evacuatorClass: 'daemonset.apps.k8s.io', priority: 10_000, role: 'controller' }
  const vendor = { evacuatorClass: 'a.example.com', priority: 5 }
  const asked = active({ metadata: { finalizers: [interceptionFinalizer] } })
  const takesOver = buildWeb({ annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver' } })
  const going = evacuationOf({ metadata: { deletionTimestamp: 'soon' } })

  test.each<{ name: string; given: Partial<EvictionView>; expected: object }>([
    { name: 'a pod that nobody claims passes', given: {}, expected: { kind: 'pass', why: 'unclaimed' } },
    {
      name: 'a pod with annotations that are no good passes',
      given: { pod: buildWeb({ annotations: { 'evacuation.coordination.k8s.io/priority_a': 'high' } }) },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'an annotated pod is evacuated',
      given: { pod: buildWeb(claimed) },
      expected: { kind: 'request', known: undefined },
    },
    {
      name: 'a pod that a built-in evacuator claims is evacuated',
      given: { claims: [{ evacuatorClass: 'a', priority: 1 }] },
      expected: { kind: 'request', known: undefined },
    },
    {
      name: 'a pod whose controller takes over is evacuated',
      given: { pod: takesOver },
      expected: { kind: 'request', known: undefined },
    },
    {
      name: 'unless evict policies are off',
      given: { pod: takesOver, isPodEvictPolicyOn: false },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'the default evict policy claims nothing',
      given: { pod: buildWeb({ annotations: { 'kubernetes.io/evict-policy': 'Default' } }) },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'an Evacuation counts as a claim',
      given: { evacuation: evacuationOf({}) },
      expected: { kind: 'request', known: evacuationOf({}) },
    },
    {
      name: 'one that is going does not',
      given: { evacuation: going },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'one that is going takes no new intent',
      given: { evacuation: going, pod: buildWeb(claimed) },
      expected: { kind: 'wait' },
    },
    {
      name: 'the active evacuator finishes its own job',
      given: { evacuation: active(), evictingEvacuator: 'a.example.com' },
      expected: { kind: 'pass', why: 'activeEvacuator' },
    },
    {
      name: 'another evacuator waits for its turn',
      given: { evacuation: active(), evictingEvacuator: 'b.example.com' },
      expected: { kind: 'request', known: {} },
    },
    {
      name: 'nobody is no evacuator',
      given: { evacuation: evacuationOf({ status: {} }), evictingEvacuator: '' },
      expected: { kind: 'request', known: {} },
    },
    {
      name: 'an evacuator that is known by its rights finishes its own job',
      given: { evacuation: active(), evictor: 'evacuator' },
      expected: { kind: 'pass', why: 'activeEvacuator' },
    },
    {
      name: 'who may be the evacuator waits, and adds no intent',
      given: { evacuation: active(), evictor: 'unclear' },
      expected: { kind: 'wait' },
    },
    {
      name: 'unless the Evacuation is asked for by evictions: then it may be who drains',
      given: { evacuation: asked, evictor: 'unclear' },
      expected: { kind: 'request', known: asked },
    },
    {
      name: 'a DaemonSet pod is evacuated on a node under maintenance',
      given: { claims: [daemon] },
      expected: { kind: 'request', known: undefined },
    },
    {
      name: 'elsewhere it passes',
      given: { claims: [daemon], isFreeDaemon: true },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'also with an Evacuation that leaves it where it is',
      given: { evacuation: evacuationOf({ spec: { evacuators: [daemon] } }), isFreeDaemon: true },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'also if that is about to go',
      given: {
        evacuation: evacuationOf({ metadata: { deletionTimestamp: 'soon' }, spec: { evacuators: [daemon] } }),
        claims: [daemon],
        isFreeDaemon: true,
      },
      expected: { kind: 'pass', why: 'unclaimed' },
    },
    {
      name: 'a DaemonSet pod that an evacuator of another vendor claims is evacuated on any node',
      given: { pod: buildWeb(claimed), claims: [daemon], isFreeDaemon: true },
      expected: { kind: 'request', known: undefined },
    },
    {
      name: 'and its Evacuation is joined',
      given: { evacuation: evacuationOf({ spec: { evacuators: [daemon, vendor] } }), isFreeDaemon: true },
      expected: { kind: 'request', known: {} },
    },
    {
      name: 'who calls itself an evacuator without an Evacuation is treated as anybody',
      given: { pod: buildWeb(claimed), evictingEvacuator: 'a.example.com' },
      expected: { kind: 'request', known: undefined },
    },
  ])('$name', ({ given, expected }) => {
    expect(decideInterception({ ...view, ...given })).toMatchObject(expected)
  })
})

test.each([
  { name: 'an evacuator of another vendor has its turn', given: active(), expected: true },
  { name: 'no evacuator has its turn', given: evacuationOf({ status: {} }), expected: false },
  { name: 'its part is done', given: active({}, { activeEvacuatorCompleted: true }), expected: false },
  {
    name: 'a built-in one has its turn',
    given: active({}, { activeEvacuatorClass: 'deployment.apps.k8s.io' }),
    expected: false,
  },
  { name: 'the eviction says that it comes from there', given: active(), says: 'a.example.com', expected: false },
])('$name: it may come from the evacuator: $expected', ({ given, says = '', expected }) => {
  expect(mayComeFromEvacuator(given, { isDryRun: false, podUid: '', evictingEvacuator: says })).toBe(expected)
})
