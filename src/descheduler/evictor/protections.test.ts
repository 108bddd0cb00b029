import { describe, expect, test } from 'vitest'
import { evictorArgs } from '../../../test/build/descheduler-evictor.ts'
import { nowMs, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { defaultProtections, type DefaultEvictorArgs, type Protection } from '../policy/policy.ts'
import { BudgetCoverage } from './budget-coverage.ts'
import { protectionRules, type Surroundings } from './protections.ts'

interface Row {
  readonly name: string
  readonly pod: Omit<PodChoices, 'name'>
  readonly args?: Partial<DefaultEvictorArgs>
  readonly threshold?: number
  readonly ownerCount?: number
  /** Undefined: no rule protects it. */
  readonly refusal?: string
}

const classes = new Map<string, string | undefined>([
  ['default/disk', 'fast'],
  ['default/share', 'slow'],
  ['default/bare', undefined],
  ['default/empty', ''],
])

function refusalOf({ pod, args, threshold, ownerCount = 1 }: Row): string | undefined {
  const surroundings: Surroundings = {
    args: evictorArgs(args),
    nowMs,
    priorityThreshold: threshold,
    budgets: new BudgetCoverage([{ namespace: 'default', selector: { matchLabels: { app: 'foo' } } }]),
    storageClasses: classes,
    state: { countOfOwner: () => ownerCount },
  }
  const view = podView({ name: 'p', ...pod })
  return protectionRules.map((rule) => rule(view, surroundings)).find((refusal) => refusal !== undefined)
}

const without = (...off: Protection[]) => ({ protections: new Set(defaultProtections).difference(new Set(off)) })
const also = (...on: Protection[]) => ({ protections: new Set<Protection>([...defaultProtections, ...on]) })
const ownerOf = (kind: string) => ({ kind, name: 'web', uid: `${kind}-uid` })
const minutesAgo = (minutes: number) => nowMs - minutes * 60_000

const always: readonly Row[] = [
  { name: 'a pod of a ReplicaSet', pod: {} },
  { name: 'a pod of a StatefulSet', pod: { owners: [ownerOf('StatefulSet')] } },
  { name: 'the mirror of a static pod', pod: { marks: { mirror: true } }, refusal: 'it is the mirror of a static pod' },
  {
    name: 'a pod from a file',
    pod: { marks: { foreignSource: true } },
    refusal: 'it is a static pod: it does not come from the API server',
  },
  { name: 'a pod that is being deleted', pod: { isTerminating: true }, refusal: 'it is being deleted' },
  { name: 'a pod that would rather stay, as the policy prefers', pod: { marks: { preferNoEviction: true } } },
  {
    name: 'a pod that would rather stay, as the policy demands',
    pod: { marks: { preferNoEviction: true } },
    args: { noEvictionPolicy: 'Mandatory' },
    refusal:
      'it has the annotation descheduler.alpha.kubernetes.io/prefer-no-eviction and noEvictionPolicy is Mandatory',
  },
  {
    name: 'a pod that has nothing against it, as the policy demands',
    pod: {},
    args: { noEvictionPolicy: 'Mandatory' },
  },
]

const critical = 'its priority 2000000000 is system-critical (SystemCriticalPods)'
const priorities: readonly Row[] = [
  { name: 'a pod of system-critical priority', pod: { priority: 2_000_000_000 }, refusal: critical },
  { name: 'a pod just below', pod: { priority: 1_999_999_999 } },
  {
    name: 'a pod of system-critical priority, unprotected',
    pod: { priority: 2_000_001_000 },
    args: without('SystemCriticalPods'),
  },
  {
    name: 'a pod above the threshold',
    pod: { priority: 900 },
    threshold: 800,
    refusal: 'its priority 900 is not below 800 (priorityThreshold)',
  },
  {
    name: 'a pod at the threshold',
    pod: { priority: 800 },
    threshold: 800,
    refusal: 'its priority 800 is not below 800 (priorityThreshold)',
  },
  { name: 'a pod below the threshold', pod: { priority: 799 }, threshold: 800 },
  { name: 'a pod without a priority', pod: {}, threshold: 0 },
  {
    name: 'a pod above the threshold, where critical pods are unprotected',
    pod: { priority: 900 },
    threshold: 800,
    args: without('SystemCriticalPods'),
  },
]

const bare = 'it has no owner that would create it again (FailedBarePods)'
const bareRunning = 'it has no owner that would create it again, and it has not failed'
const kinds: readonly Row[] = [
  { name: 'a bare pod', pod: { owners: [] }, refusal: bare },
  { name: 'a bare pod that has failed', pod: { owners: [], phase: 'Failed' }, refusal: bare },
  {
    name: 'a bare pod that runs, where failed ones are unprotected',
    pod: { owners: [] },
    args: without('FailedBarePods'),
    refusal: bareRunning,
  },
  {
    name: 'a bare pod that has failed, where those are unprotected',
    pod: { owners: [], phase: 'Failed' },
    args: without('FailedBarePods'),
  },
  {
    name: 'a pod with local storage',
    pod: { hasLocalStorage: true },
    refusal: 'it has an emptyDir or hostPath volume (PodsWithLocalStorage)',
  },
  {
    name: 'a pod with local storage, unprotected',
    pod: { hasLocalStorage: true },
    args: without('PodsWithLocalStorage'),
  },
  {
    name: 'a pod of a DaemonSet',
    pod: { owners: [ownerOf('DaemonSet')] },
    refusal: 'it belongs to a DaemonSet (DaemonSetPods)',
  },
  {
    name: 'a pod of which one owner is a DaemonSet',
    pod: { owners: [ownerOf('Job'), ownerOf('DaemonSet')] },
    refusal: 'it belongs to a DaemonSet (DaemonSetPods)',
  },
  {
    name: 'a pod of a DaemonSet, unprotected',
    pod: { owners: [ownerOf('DaemonSet')] },
    args: without('DaemonSetPods'),
  },
  {
    name: 'a pod with everything, and no protection at all',
    pod: {
      owners: [ownerOf('DaemonSet')],
      hasLocalStorage: true,
      hasResourceClaims: true,
      claims: ['disk'],
      priority: 2_000_000_000,
    },
    args: { protections: new Set() },
  },
  { name: 'a pod with a resource claim', pod: { hasResourceClaims: true } },
  {
    name: 'a pod with a resource claim, protected',
    pod: { hasResourceClaims: true },
    args: also('PodsWithResourceClaims'),
    refusal: 'it uses a ResourceClaim (PodsWithResourceClaims)',
  },
  { name: 'a pod without a resource claim, where they protect', pod: {}, args: also('PodsWithResourceClaims') },
]

const fastOnly = { ...also('PodsWithPVC'), protectedStorageClasses: ['fast'] }
const volumes: readonly Row[] = [
  { name: 'a pod with a claim', pod: { claims: ['disk'] } },
  {
    name: 'a pod with a claim, protected',
    pod: { claims: ['disk'] },
    args: also('PodsWithPVC'),
    refusal: 'it uses the PersistentVolumeClaim disk (PodsWithPVC)',
  },
  { name: 'a pod without a claim, where they protect', pod: {}, args: also('PodsWithPVC') },
  {
    name: 'a pod with a claim, and an empty list of classes',
    pod: { claims: ['disk'] },
    args: { ...also('PodsWithPVC'), protectedStorageClasses: [] },
    refusal: 'it uses the PersistentVolumeClaim disk (PodsWithPVC)',
  },
  {
    name: 'a claim of a protected class',
    pod: { claims: ['share', 'disk'] },
    args: fastOnly,
    refusal: 'its PersistentVolumeClaim disk is of the protected storage class fast (PodsWithPVC)',
  },
  { name: 'a claim of another class', pod: { claims: ['share'] }, args: fastOnly },
  {
    name: 'a claim that is missing',
    pod: { claims: ['gone'] },
    args: fastOnly,
    refusal: 'its PersistentVolumeClaim gone is missing or has no storage class (PodsWithPVC)',
  },
  {
    name: 'a claim without a class',
    pod: { claims: ['bare'] },
    args: fastOnly,
    refusal: 'its PersistentVolumeClaim bare is missing or has no storage class (PodsWithPVC)',
  },
  {
    name: 'a claim with an empty class',
    pod: { claims: ['empty'] },
    args: fastOnly,
    refusal: 'its PersistentVolumeClaim empty is missing or has no storage class (PodsWithPVC)',
  },
  {
    name: 'a claim of that name in another namespace',
    pod: { namespace: 'shop', claims: ['share'] },
    args: fastOnly,
    refusal: 'its PersistentVolumeClaim share is missing or has no storage class (PodsWithPVC)',
  },
  {
    name: 'a claim of a protected class, where claims do not protect',
    pod: { claims: ['disk'] },
    args: { protectedStorageClasses: ['fast'] },
  },
]

const budgets: readonly Row[] = [
  { name: 'a pod without a budget', pod: {} },
  {
    name: 'a pod without a budget, protected',
    pod: {},
    args: also('PodsWithoutPDB'),
    refusal: 'no PodDisruptionBudget selects it (PodsWithoutPDB)',
  },
  { name: 'a pod with a budget', pod: { labels: { app: 'foo' } }, args: also('PodsWithoutPDB') },
]

const label = { labelSelector: { matchLabels: { app: 'foo' } } }
const selections: readonly Row[] = [
  { name: 'a pod that the policy selects', pod: { labels: { app: 'foo' } }, args: label },
  {
    name: 'a pod that the policy does not select',
    pod: {},
    args: label,
    refusal: 'its labels do not match the labelSelector of DefaultEvictor',
  },
  { name: 'an empty selector selects every pod', pod: {}, args: { labelSelector: {} } },
]

const twoOfThree = 'its ReplicaSet web has 2 of at least 3 pods (minReplicas)'
const replicas: readonly Row[] = [
  { name: 'as many pods of its owner as there must be', pod: {}, ownerCount: 2, args: { minReplicas: 2 } },
  { name: 'too few pods of its owner', pod: {}, ownerCount: 2, args: { minReplicas: 3 }, refusal: twoOfThree },
  { name: 'a minimum of one means nothing', pod: {}, ownerCount: 0, args: { minReplicas: 1 } },
  {
    name: 'with two owners it does not count',
    pod: { owners: [ownerOf('Job'), ownerOf('ReplicaSet')] },
    ownerCount: 1,
    args: { minReplicas: 2 },
  },
  {
    name: 'without an owner it does not count',
    pod: { owners: [], phase: 'Failed' },
    args: { minReplicas: 2, ...without('FailedBarePods') },
  },
]

const fiftyMinutes = { minPodAgeMs: 50 * 60_000 }
const young = 'it started less than 3000 s ago (minPodAge)'
const ages: readonly Row[] = [
  { name: 'started ten minutes ago', pod: { startedMs: minutesAgo(10) }, args: fiftyMinutes, refusal: young },
  { name: 'started exactly as long ago as it must', pod: { startedMs: minutesAgo(50) }, args: fiftyMinutes },
  { name: 'started an hour ago', pod: { startedMs: minutesAgo(60) }, args: fiftyMinutes },
  { name: 'started ten minutes ago, and no minimum', pod: { startedMs: minutesAgo(10) } },
  {
    name: 'old, but not started',
    pod: { startedMs: undefined },
    args: fiftyMinutes,
    refusal: 'it has not started (minPodAge)',
  },
]

describe.each([
  { about: 'always', rows: always },
  { about: 'priorities', rows: priorities },
  { about: 'kinds of pods', rows: kinds },
  { about: 'claims', rows: volumes },
  { about: 'budgets', rows: budgets },
  { about: 'labels', rows: selections },
  { about: 'replicas', rows: replicas },
  { about: 'age', rows: ages },
])('$about', ({ rows }) => {
  test.each(rows)('$name', (row) => {
    expect(refusalOf(row)).toBe(row.refusal)
  })
})

test('of several reasons the first is told', () => {
  const pod = { isTerminating: true, owners: [], hasLocalStorage: true, priority: 2_000_000_000 }
  expect(refusalOf({ name: '', pod })).toBe('it is being deleted')
  expect(refusalOf({ name: '', pod: { ...pod, isTerminating: false } })).toBe(critical)
})
