import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { interceptionWarning } from '../../src/admission/reviews/intercept-eviction.ts'
import {
  arrangeEvacuation,
  arrangePod,
  arrangeStatus,
  arrangeUser,
  evacuationPath,
  instigator,
  lifeboatUser,
  mustSucceed,
  podsPath,
  said,
  type StoryWorld,
  type PodFacts,
  type Story,
  type StoryOptions,
} from './admission-story.ts'

// What becomes of evictions that others ask for.

const claimed = { annotations: { 'evacuation.coordination.k8s.io/priority_a.example.com': '5' } }
const ownFinalizer = 'evacuation.coordination.k8s.io/instigator_eviction.evacuation.coordination.k8s.io'
const triggered =
  '429 TooManyRequests: admission webhook "intercept.evacuation.coordination.k8s.io" denied the request: Eviction triggered evacuation NS/UID-web'

function evicting(world: StoryWorld, extra: object = {}, options: StoryOptions = {}) {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' }, ...extra }
  return world.send('POST', `${podsPath(world)}/web/eviction`, eviction, options)
}

/** What there is to see of a pod and its Evacuation afterwards. */
async function aftermath(world: StoryWorld, pod: PodFacts): Promise<unknown> {
  const evacuation = await world.send('GET', evacuationPath(world, pod))
  const found = await world.send('GET', `${podsPath(world)}/${pod.name}`)
  const { finalizers, annotations = {} } = (evacuation.body['metadata'] ?? {}) as {
    finalizers?: string[]
    annotations?: Record<string, string>
  }
  const metadata = (found.body['metadata'] ?? {}) as { annotations?: Record<string, string> }
  return {
    pod: found.status,
    mark: metadata.annotations?.['descheduler.alpha.kubernetes.io/eviction-in-progress'],
    evacuation: evacuation.status,
    finalizers: evacuation.status === 200 ? finalizers : undefined,
    isAskedFor: 'evacuation.coordination.k8s.io/eviction-requested-at' in annotations,
  }
}

const untouched = { pod: 200, mark: undefined, evacuation: 404, finalizers: undefined, isAskedFor: false }
const gone = { ...untouched, pod: 404 }
const evacuating = { pod: 200, mark: 'lifeboat', evacuation: 200, finalizers: [ownFinalizer], isAskedFor: true }

/** One eviction of the pod `web`. */
function evicted(
  name: string,
  options: { metadata?: object; eviction?: object; send?: StoryOptions },
  expected: readonly unknown[],
): Story {
  return {
    name,
    run: async (world) => {
      const pod = await arrangePod(world, 'web', options.metadata)
      const answer = await evicting(world, options.eviction, options.send)
      return [said(world, answer), await aftermath(world, pod)]
    },
    expected,
  }
}

/** An evacuator, an autoscaler, and one that may do what both may. */
async function arrangeAccounts(world: StoryWorld) {
  const { namespace } = world
  const account = (name: string) => `system:serviceaccount:${namespace}:${name}`
  const [mover, scaler, all] = [account('mover'), account('scaler'), account('all')]
  for (const user of [mover, all]) await arrangeUser(world, user, [])
  const rules = [
    { apiGroups: [''], resources: ['nodes'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  ]
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const metadata = { name: `${namespace}-drains` }
  await mustSucceed(world.send('POST', `${rbac}/clusterroles`, { metadata, rules }))
  await mustSucceed(
    world.send('POST', `${rbac}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [scaler, all].map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
    }),
  )
  return { mover, scaler, all }
}

const inBody = { deleteOptions: { dryRun: ['All'] } }
const inUrl = { query: { dryRun: 'All' } }

export const evictionStories: readonly Story[] = [
  evicted('a pod that nobody claims is evicted', {}, ['201', gone]),
  evicted('a claimed pod is evacuated', { metadata: claimed }, [triggered, evacuating]),
  evicted(
    'a pod whose controller takes over is evacuated',
    {
      metadata: { annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver' } },
    },
    [triggered, evacuating],
  ),
  evicted('a dry run in the URL and the body is only that', { metadata: claimed, eviction: inBody, send: inUrl }, [
    '201',
    untouched,
  ]),
  evicted('a dry run in the URL alone', { metadata: claimed, send: inUrl }, ['201', untouched]),
  evicted('a dry run in the body alone', { metadata: claimed, eviction: inBody }, ['201', untouched]),
  evicted("Lifeboat's own eviction passes", { metadata: claimed, send: { as: lifeboatUser } }, ['201', gone]),
  {
    name: 'who asks is told so in a warning, and by no Retry-After',
    run: async (world) => {
      await arrangePod(world, 'web', claimed)
      const { warnings, body } = await evicting(world)
      return [warnings, (body['details'] as { retryAfterSeconds?: number } | undefined)?.retryAfterSeconds]
    },
    expected: [[interceptionWarning], undefined],
  },
  {
    name: 'an Evacuation that is there counts as a claim, and is joined',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      await arrangeEvacuation(world, pod)
      return [said(world, await evicting(world)), await aftermath(world, pod)]
    },
    expected: [triggered, { ...evacuating, finalizers: [instigator, ownFinalizer] }],
  },
  {
    name: 'who asks again changes nothing for a minute',
    run: async (world) => {
      const pod = await arrangePod(world, 'web', claimed)
      const version = async () => {
        const { body } = await world.send('GET', evacuationPath(world, pod))
        return (body['metadata'] as { resourceVersion: string }).resourceVersion
      }
      const first = said(world, await evicting(world))
      const before = await version()
      const second = said(world, await evicting(world))
      return [first, second, (await version()) === before]
    },
    expected: [triggered, triggered, true],
  },
  {
    name: 'the evacuator whose turn it is may evict, another one may not',
    run: async (world) => {
      const pod = await arrangePod(world, 'web', claimed)
      await arrangeStatus(world, await arrangeEvacuation(world, pod), { activeEvacuatorClass: 'a.example.com' })
      const as = (evacuatorClass: string) =>
        evicting(world, {
          metadata: { name: 'web', annotations: { 'evacuation.coordination.k8s.io/evacuator': evacuatorClass } },
        })
      const other = said(world, await as('b.example.com'))
      const own = said(world, await as('a.example.com'))
      const { pod: podStatus } = (await aftermath(world, pod)) as { pod: number }
      return [other, own, podStatus]
    },
    expected: [triggered, '201', 404],
  },
  {
    name: 'an evacuator evicts the pod that it moves, without a word of Lifeboat on its eviction; an autoscaler waits meanwhile',
    run: async (world) => {
      const { mover, scaler } = await arrangeAccounts(world)
      const pod = await arrangePod(world, 'web', claimed)
      const path = await arrangeEvacuation(world, pod)
      const before = said(world, await evicting(world, {}, { as: mover }))
      await mustSucceed(world.send('PATCH', path, { metadata: { finalizers: [instigator] } }))
      await arrangeStatus(world, path, { activeEvacuatorClass: 'a.example.com' })
      const others = said(world, await evicting(world, {}, { as: scaler }))
      await mustSucceed(world.send('PATCH', path, { metadata: { finalizers: [instigator] } }))
      const own = said(world, await evicting(world, {}, { as: mover }))
      return [before, others, own, await aftermath(world, pod)]
    },
    expected: [
      triggered,
      triggered,
      '201',
      { pod: 404, mark: undefined, evacuation: 200, finalizers: [instigator], isAskedFor: true },
    ],
  },
  {
    name: 'an account that may be the evacuator or drain nodes waits, and does not keep the Evacuation alive',
    run: async (world) => {
      const { all } = await arrangeAccounts(world)
      const pod = await arrangePod(world, 'web', claimed)
      const path = await arrangeEvacuation(world, pod)
      await arrangeStatus(world, path, { activeEvacuatorClass: 'a.example.com' })
      return [said(world, await evicting(world, {}, { as: all })), await aftermath(world, pod)]
    },
    expected: [triggered, { ...untouched, evacuation: 200, finalizers: [instigator] }],
  },
  {
    name: 'the Evacuation has the labels and evacuators of the pod, and the name that any instigator would give it',
    run: async (world) => {
      const pod = await arrangePod(world, 'web', { ...claimed, labels: { app: 'web' } })
      await evicting(world)
      const { body } = await world.send('GET', evacuationPath(world, pod))
      const { name, labels } = body['metadata'] as { name: string; labels: object }
      return [name === evacuationName(pod), labels, world.normal(body['spec'])]
    },
    expected: [
      true,
      { app: 'web' },
      {
        podRef: { name: 'web' },
        evacuators: [{ evacuatorClass: 'a.example.com', priority: 5 }],
        progressDeadlineSeconds: 1_800,
      },
    ],
  },
  {
    name: 'who may evict need not be allowed to delete',
    run: async (world) => {
      await arrangeUser(world, 'joe', [])
      const pod = await arrangePod(world, 'web', claimed)
      return [said(world, await evicting(world, {}, { as: 'joe' })), await aftermath(world, pod)]
    },
    expected: [triggered, evacuating],
  },
]
