import { buildPod, podsPath, said, type Story, type StoryWorld } from './admission-story.ts'

// Pods under ControllerTakeOver tolerate a dead node longer by the time that their controller has.

export const [notReady, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const
const [policyKey, timeoutKey] = ['kubernetes.io/evict-policy', 'kubernetes.io/evict-timeout'] as const
const addedKey = 'evacuation.coordination.k8s.io/added-toleration-seconds'
const takeOver = { [policyKey]: 'ControllerTakeOver' }
const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: '6d3bb0f9-1a10-4f4a-9bb5-0d5d8b1f8a57' }
const owned = (annotations: object, owner: object = { ...set, controller: true }) => ({
  annotations,
  ownerReferences: [owner],
})

const tolerating = (key: string, tolerationSeconds?: number) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})

const others = (count: number) => Array.from({ length: count }, (_, index) => tolerating(`example.com/${index}`, 5))

export interface EvictTimeRow {
  readonly name: string
  readonly metadata: object
  /** Those that Kubernetes gives every pod, if not given. */
  readonly tolerations?: readonly object[]
  /** Of the tolerations that are not `others`, in their order. */
  readonly seconds: readonly (number | undefined)[]
  readonly added: string | undefined
}

const [kept, longer] = [
  { seconds: [300, 300], added: undefined },
  { seconds: [360, 360], added: '60' },
]

/** The default timeout is a minute in all of them. */
export const evictTimeRows: readonly EvictTimeRow[] = [
  { name: 'under the policy', metadata: owned(takeOver), ...longer },
  {
    name: 'with a timeout of its own',
    metadata: owned({ ...takeOver, [timeoutKey]: '1h30m' }),
    seconds: [5_700, 5_700],
    added: '5400',
  },
  {
    name: 'with the shortest timeout',
    metadata: owned({ ...takeOver, [timeoutKey]: '1s' }),
    seconds: [301, 301],
    added: '1',
  },
  {
    name: 'with the longest timeout',
    metadata: owned({ ...takeOver, [timeoutKey]: '24h' }),
    seconds: [86_700, 86_700],
    added: '86400',
  },
  {
    name: 'with times of its own',
    metadata: owned(takeOver),
    tolerations: [tolerating(unreachable, 0), tolerating('other', 7), tolerating(notReady, 10)],
    seconds: [60, 7, 70],
    added: '60',
  },
  {
    name: 'with a time below zero, which counts as zero',
    metadata: owned(takeOver),
    tolerations: [tolerating(notReady, -5), tolerating(unreachable, -1)],
    seconds: [60, 60],
    added: '60',
  },
  {
    name: 'that tolerates one of the taints forever',
    metadata: owned(takeOver),
    tolerations: [tolerating(unreachable)],
    seconds: [undefined, 360],
    added: '60',
  },
  {
    name: 'that tolerates both forever',
    metadata: owned(takeOver),
    tolerations: [tolerating(unreachable), tolerating(notReady)],
    seconds: [undefined, undefined],
    added: undefined,
  },
  {
    name: 'that tolerates everything forever',
    metadata: owned(takeOver),
    tolerations: [{ operator: 'Exists' }],
    seconds: [undefined],
    added: undefined,
  },
  {
    name: 'that tolerates both as good as forever',
    metadata: owned(takeOver),
    tolerations: [tolerating(unreachable, 9_007_199_254_740_991), tolerating(notReady, 1_000_000_001)],
    seconds: [9_007_199_254_740_991, 1_000_000_001],
    added: undefined,
  },
  {
    name: 'with as many tolerations as can be looked through',
    metadata: owned(takeOver),
    tolerations: [...others(30), tolerating(notReady, 1), tolerating(unreachable, 2)],
    seconds: [61, 62],
    added: '60',
  },
  {
    name: 'with one toleration more',
    metadata: owned(takeOver),
    tolerations: [...others(31), tolerating(notReady, 1), tolerating(unreachable, 2)],
    seconds: [1, 2],
    added: undefined,
  },
  { name: 'that has its time already', metadata: owned({ ...takeOver, [addedKey]: '7' }), ...kept, added: '7' },
  {
    name: 'that has no policy, but a timeout',
    metadata: owned({ [timeoutKey]: '5m' }),
    ...kept,
  },
  { name: 'without annotations', metadata: { ownerReferences: [{ ...set, controller: true }] }, ...kept },
  { name: 'under Default', metadata: owned({ [policyKey]: 'Default' }), ...kept },
  { name: 'without an owner', metadata: { annotations: takeOver }, ...kept },
  { name: 'whose owner is no controller', metadata: owned(takeOver, set), ...kept },
]

/** By the kubelet alone, which the API server holds to more than a story can have: the mirror of a static pod. */
export const mirrorRow: EvictTimeRow = {
  name: 'that mirrors a static pod',
  metadata: owned({ ...takeOver, 'kubernetes.io/config.mirror': 'x' }),
  ...kept,
}

export const podOf = ({ metadata, tolerations }: Pick<EvictTimeRow, 'metadata' | 'tolerations'>) => ({
  metadata: { name: 'web', ...metadata },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(tolerations === undefined ? {} : { tolerations }) },
})

interface CreatedPod {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: { readonly tolerations?: readonly { readonly key?: string; readonly tolerationSeconds?: number }[] }
}

/** What a row says of it. */
export function timeOf(pod: CreatedPod): Pick<EvictTimeRow, 'seconds' | 'added'> {
  const tolerations = (pod.spec?.tolerations ?? []).filter(({ key = '' }) => !key.startsWith('example.com/'))
  return {
    seconds: tolerations.map(({ tolerationSeconds }) => tolerationSeconds),
    added: pod.metadata?.annotations?.[addedKey],
  }
}

const by = `422 Invalid: pods "web" is forbidden: ValidatingAdmissionPolicy 'lifeboat-evict-policy' with binding 'lifeboat-evict-policy' denied request: `
const badAt = (key: string, value: string, allowed: string) =>
  `${by}metadata.annotations[${key}] is "${value}": ${allowed}`
const allowedTimeouts = 'must be a duration from 1s to 24h, such as 90s, 5m or 1h30m'
const allowedPolicies = 'must be one of Default, ControllerTakeOver'

export const badTimeouts = [
  '',
  'soon',
  '0s',
  '0h0m0s',
  '25h',
  '24h1s',
  '86401s',
  '999999s',
  '99999h99999m99999s',
  '60',
  '-5m',
  '+5m',
  '1.5m',
  '1d',
  '500ms',
  '5M',
  ' 5m',
  '5m ',
  '5s1m',
  '5m5m',
  '५m',
  '1e3s',
  'null',
]
const badPolicies = ['', 'controllertakeover', 'ControllerTakeover', ' Default', 'default', 'true', 'Ignore']

async function creating(world: StoryWorld, metadata: object): Promise<string> {
  return said(world, await world.send('POST', podsPath(world), buildPod('web', metadata)))
}

const refusals: readonly Story[] = [
  ...badTimeouts.map((value) => ({
    name: `an evict timeout of ${JSON.stringify(value)} is refused, whatever the policy`,
    run: async (world: StoryWorld) => [
      await creating(world, owned({ ...takeOver, [timeoutKey]: value })),
      await creating(world, { annotations: { [timeoutKey]: value } }),
    ],
    expected: [badAt(timeoutKey, value, allowedTimeouts), badAt(timeoutKey, value, allowedTimeouts)],
  })),
  ...badPolicies.map((value) => ({
    name: `an evict policy of ${JSON.stringify(value)} is refused`,
    run: async (world: StoryWorld) => [await creating(world, owned({ [policyKey]: value }))],
    expected: [badAt(policyKey, value, allowedPolicies)],
  })),
  {
    name: 'a timeout of two lines is shown as one, and a long one in part',
    run: async (world) => [
      await creating(world, owned({ ...takeOver, [timeoutKey]: '5m\n6m' })),
      await creating(world, owned({ ...takeOver, [timeoutKey]: 'x'.repeat(500) })),
    ],
    expected: [badAt(timeoutKey, '5m 6m', allowedTimeouts), badAt(timeoutKey, `${'x'.repeat(100)}…`, allowedTimeouts)],
  },
  {
    name: 'of two wrong values the policy is told first',
    run: async (world) => [await creating(world, owned({ [policyKey]: 'x', [timeoutKey]: 'y' }))],
    expected: [badAt(policyKey, 'x', allowedPolicies)],
  },
  {
    name: 'both are checked when they change, and through the status too; what is there already may stay',
    run: async (world) => {
      await creating(world, { annotations: { ...takeOver, [timeoutKey]: '5m' } })
      const path = `${podsPath(world)}/web`
      const change = async (annotations: object, subresource = '') =>
        said(world, await world.send('PATCH', `${path}${subresource}`, { metadata: { annotations } }))
      return [
        await change({ [timeoutKey]: '0s' }),
        await change({ [timeoutKey]: '0s' }, '/status'),
        await change({ [policyKey]: 'x' }),
        await change({ [policyKey]: 'x' }, '/status'),
        await change({ 'example.com/other': 'x' }),
        await change({ [timeoutKey]: '10m' }),
        await change({ [timeoutKey]: null, [policyKey]: null }),
      ]
    },
    expected: [
      badAt(timeoutKey, '0s', allowedTimeouts),
      badAt(timeoutKey, '0s', allowedTimeouts),
      badAt(policyKey, 'x', allowedPolicies),
      badAt(policyKey, 'x', allowedPolicies),
      '200',
      '200',
      '200',
    ],
  },
]

export const evictTimeStories: readonly Story[] = [
  ...evictTimeRows.map((row) => ({
    name: `a pod ${row.name}`,
    run: async (world: StoryWorld) => {
      const answer = await world.send('POST', podsPath(world), podOf(row))
      return [said(world, answer), timeOf(answer.body)]
    },
    expected: ['201', { seconds: row.seconds, added: row.added }],
  })),
  {
    name: 'a change afterwards leaves the time as it is',
    run: async (world) => {
      // Something that is there, so that the pod is not collected as garbage.
      const owner = await world.send('POST', `/api/v1/namespaces/${world.namespace}/configmaps`, {
        metadata: { name: 'owner' },
      })
      const { uid } = owner.body['metadata'] as { uid: string }
      const controller = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }
      await world.send('POST', podsPath(world), podOf({ metadata: owned(takeOver, controller) }))
      const metadata = { annotations: { [timeoutKey]: '5m' } }
      const { body } = await world.send('PATCH', `${podsPath(world)}/web`, { metadata })
      return [timeOf(body)]
    },
    expected: [longer],
  },
  ...refusals,
]
