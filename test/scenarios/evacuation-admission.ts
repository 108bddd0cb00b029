import { expect } from 'vitest'
import {
  arrangeEvacuation,
  arrangePod,
  arrangeStatus,
  arrangeUser,
  buildEvacuation,
  evacuationPath,
  evacuationsPath,
  instigator,
  lifeboatUser,
  mustSucceed,
  podsPath,
  said,
  type StoryWorld,
  type PodFacts,
  type Story,
} from './admission-story.ts'

import { deniedByPolicy, deniedByWebhook, nameless, rightsStory } from './evacuation-rights.ts'

// 'Evacuation Validation and Admission' of the specification, sentence by sentence.

const priority = (evacuatorClass: string) => `evacuation.coordination.k8s.io/priority_${evacuatorClass}`
const containing = (text: string) => expect.stringContaining(text) as unknown

async function creating(world: StoryWorld, object: object): Promise<string> {
  return said(world, await world.send('POST', evacuationsPath(world), object))
}

async function readEvacuation(world: StoryWorld, pod: PodFacts): Promise<Record<string, never>> {
  const { body } = await mustSucceed(world.send('GET', evacuationPath(world, pod)))
  return body as Record<string, never>
}

const longName = `${'a'.repeat(149)}b${'c'.repeat(50)}`

const creation: readonly Story[] = [
  {
    sentence:
      'Name of the Evacuation object must be unique and predictable for each pod to prevent the creation of multiple Evacuations for the same pod.',
    name: 'a second one for the same pod is refused',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      return [await creating(world, buildEvacuation(pod)), await creating(world, buildEvacuation(pod))]
    },
    expected: ['201', containing('409 AlreadyExists')],
  },
  {
    sentence: '`.metadata.generateName` is not supported.',
    name: 'one with it is refused',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      const metadata = { name: undefined, generateName: `${pod.uid}-` }
      return [await creating(world, buildEvacuation(pod, { metadata }))]
    },
    expected: [containing('generateName is not supported')],
  },
  {
    sentence: '`.metadata.name` of the pod is expected to be in the format `${POD_UID}-${POD_NAME_PREFIX}`.',
    name: 'another name is refused, and the right one told',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      return [await creating(world, buildEvacuation(pod, { metadata: { name: 'web' } }))]
    },
    expected: [containing('the name must be the UID and the name of the pod: UID-web')],
  },
  {
    sentence: 'The `POD_UID` must be identical to `.spec.podRef.uid` or the request will be rejected.',
    name: 'a name with the UID of another pod is refused',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      const other = await arrangePod(world, 'other')
      return [await creating(world, buildEvacuation(pod, { metadata: { name: `${other.uid}-web` } }))]
    },
    expected: [containing('422 Invalid')],
  },
  {
    sentence: 'The maximum length of the `POD_NAME_PREFIX` is 150 characters.',
    name: 'a pod of 200 characters has an Evacuation with the first 150, and no other',
    run: async (world) => {
      const pod = await arrangePod(world, longName)
      const named = (length: number) =>
        creating(world, buildEvacuation(pod, { metadata: { name: `${pod.uid}-${longName.slice(0, length)}` } }))
      return [await named(200), await named(149), await named(151), await named(150)]
    },
    expected: [containing('422'), containing('422'), containing('422'), '201'],
  },
  {
    sentence: 'The Pod matching the `.spec.podRef.name` will be obtained from the admission plugin lister.',
    name: 'a pod that is not there is named',
    run: async (world) => {
      const uid = '11111111-2222-4333-8444-555555555555'
      return [await creating(world, buildEvacuation({ name: 'nobody', uid }))]
    },
    expected: [
      '422 Invalid: admission webhook "mutate.evacuation.coordination.k8s.io" denied the request: spec.podRef.name is "nobody": must be a pod in the namespace of the Evacuation, and there is no such pod in NS',
    ],
  },
  {
    sentence: "If the `.spec.podRef.uid` does not match with the pod's UID, the request will be rejected.",
    name: 'the UID of the pod that is there is told',
    run: async (world) => {
      const { name } = await arrangePod(world, 'web')
      const uid = '11111111-2222-4333-8444-555555555555'
      return [await creating(world, buildEvacuation({ name, uid }))]
    },
    expected: [
      '422 Invalid: admission webhook "mutate.evacuation.coordination.k8s.io" denied the request: spec.podRef.uid is "UID": must be the UID of the pod, and the pod web has UID',
    ],
  },
  {
    sentence: "`.spec.evacuators` are set according to the pod's annotations.",
    name: 'in the order in which they act',
    run: async (world) => {
      const annotations = {
        [priority('fallback.example.com')]: '2000',
        [priority('deployment.apps.k8s.io')]: '10000/controller',
        [priority('0123456789')]: '11000/app',
        'evacuation.coordination.k8s.io/hash_0123456789': `a-class.${'x'.repeat(60)}.example.com`,
      }
      const pod = await arrangePod(world, 'web', { annotations })
      await arrangeEvacuation(world, pod)
      return [(await readEvacuation(world, pod))['spec']?.['evacuators']]
    },
    expected: [
      [
        { evacuatorClass: `a-class.${'x'.repeat(60)}.example.com`, priority: 11_000, role: 'app' },
        { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' },
        { evacuatorClass: 'fallback.example.com', priority: 2_000 },
      ],
    ],
  },
  {
    sentence: '`.spec.evacuators` should ideally not be set by the instigator.',
    name: "what the instigator gives is kept beside the pod's, which win",
    run: async (world) => {
      const pod = await arrangePod(world, 'web', { annotations: { [priority('a.example.com')]: '10000/controller' } })
      const evacuators = [
        { evacuatorClass: 'a.example.com', priority: 1 },
        { evacuatorClass: 'b.example.com', priority: 10_000, role: 'controller' },
        { evacuatorClass: 'c.example.com', priority: 5 },
      ]
      await arrangeEvacuation(world, pod, { spec: { evacuators } })
      return [(await readEvacuation(world, pod))['spec']?.['evacuators']]
    },
    expected: [
      [
        { evacuatorClass: 'a.example.com', priority: 10_000, role: 'controller' },
        { evacuatorClass: 'c.example.com', priority: 5 },
      ],
    ],
  },
  {
    sentence: 'The pod labels are merged with the Evacuation labels (pod labels have a preference).',
    name: 'a label of both has the value of the pod',
    run: async (world) => {
      const pod = await arrangePod(world, 'web', { labels: { app: 'web', tier: 'front' } })
      await arrangeEvacuation(world, pod, { metadata: { labels: { app: 'mine', wave: '1' } } })
      return [(await readEvacuation(world, pod))['metadata']?.['labels']]
    },
    expected: [{ app: 'web', tier: 'front', wave: '1' }],
  },
  ...(
    [
      [
        '`.status.activeEvacuatorClass` should be empty on creation.',
        'activeEvacuatorClass',
        'a.example.com',
        undefined,
      ],
      [
        '`.status.evacuationCancellationPolicy` should be `Allow` on creation.',
        'evacuationCancellationPolicy',
        'Forbid',
        'Allow',
      ],
    ] as const
  ).map(([sentence, field, given, kept]) => ({
    sentence,
    name: 'the API server drops a status that comes with the creation',
    run: async (world: StoryWorld) => {
      const pod = await arrangePod(world, 'web', { annotations: { [priority('a.example.com')]: '5' } })
      const object = { ...buildEvacuation(pod), status: { [field]: given } }
      const answer = await creating(world, object)
      return [answer, (await readEvacuation(world, pod))['status']?.[field]]
    },
    expected: ['201', kept],
  })),
  {
    name: 'a status that the schema would refuse is no way around the evacuators of the pod',
    run: async (world) => {
      const pod = await arrangePod(world, 'web', { annotations: { [priority('a.example.com')]: '5' } })
      const object = { ...buildEvacuation(pod), status: { failedEvictionCounter: -1, message: 'x'.repeat(40_000) } }
      const answer = await creating(world, object)
      return [answer, (await readEvacuation(world, pod))['spec']?.['evacuators']]
    },
    expected: ['201', [{ evacuatorClass: 'a.example.com', priority: 5 }]],
  },
  {
    sentence: '`.status.FailedEvictionCounter` can be only incremented.',
    name: 'from 2 to 3, not to 1',
    needs: 'valuesInRefusals',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      const path = await arrangeEvacuation(world, pod)
      const set = async (failedEvictionCounter: number) =>
        said(world, await world.send('PATCH', `${path}/status`, { status: { failedEvictionCounter } }))
      return [await set(2), await set(3), await set(1)]
    },
    expected: ['200', '200', containing('failedEvictionCounter may only grow')],
  },
  {
    sentence: 'It should also add itself to the Evacuation finalizers upon creation.',
    name: 'one that no instigator holds is created with a warning',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      const alone = buildEvacuation(pod, { metadata: { finalizers: ['example.com/other'] } })
      const held = buildEvacuation(await arrangePod(world, 'held'))
      const warnings = async (object: object) =>
        (await mustSucceed(world.send('POST', evacuationsPath(world), object))).warnings
      return [await warnings(alone), await warnings(held)]
    },
    expected: [[containing('no instigator finalizer, so it is cancelled at once')], []],
  },
  {
    name: 'what breaks the schema is answered by the schema',
    run: async (world) => {
      const pod = await arrangePod(world, 'web')
      const twice = ['a.example.com', 'b.example.com'].map((evacuatorClass) => ({
        evacuatorClass,
        priority: 10_000,
        role: 'controller',
      }))
      return [
        await creating(world, buildEvacuation(pod, { spec: { podRef: undefined } })),
        await creating(world, buildEvacuation(pod, { spec: { podRef: { ...pod, uid: [] } } })),
        await creating(world, buildEvacuation(pod, { spec: { evacuators: twice } })),
        await creating(world, buildEvacuation(pod, { spec: { progressDeadlineSeconds: 1 } })),
      ]
    },
    expected: [
      containing('spec.podRef: Required value'),
      containing('422'),
      containing('only one evacuator may have the role controller'),
      containing('spec.progressDeadlineSeconds'),
    ],
  },
]

const forbidden = { evacuationCancellationPolicy: 'Forbid', activeEvacuatorClass: 'a.example.com' }

async function arrangeForbidden(world: StoryWorld, name: string): Promise<string> {
  const pod = await arrangePod(world, name, { annotations: { [priority('a.example.com')]: '5' } })
  const path = await arrangeEvacuation(world, pod)
  await arrangeStatus(world, path, forbidden)
  return path
}

const deletionSentence =
  'Delete requests are forbidden for Evacuation objects that have the `.status.evacuationCancellationPolicy` field set to `Forbid` and the pod still exists.'

const forbidding = (who: string) =>
  `403 Forbidden: evacuations.evacuation.coordination.k8s.io "UID-web" is forbidden: ValidatingAdmissionPolicy 'lifeboat-evacuation-rights' with binding 'lifeboat-evacuation-rights' denied request: status.evacuationCancellationPolicy is "Forbid": ${who} cannot stop any more; Lifeboat removes the Evacuation once pod NS/web is gone, and others can delete it once the policy is Allow again`

const deletion: readonly Story[] = [
  {
    sentence: deletionSentence,
    name: 'it says who forbids and until when; with the policy Allow it can be deleted',
    run: async (world) => {
      const path = await arrangeForbidden(world, 'web')
      const refused = said(world, await world.send('DELETE', path))
      await arrangeStatus(world, path, { evacuationCancellationPolicy: 'Allow' })
      return [refused, said(world, await world.send('DELETE', path))]
    },
    expected: [forbidding('the evacuator a.example.com'), '200'],
  },
  {
    sentence: deletionSentence,
    name: 'one that names no evacuator forbids too',
    run: async (world) => {
      const path = await arrangeEvacuation(world, await arrangePod(world, 'web'))
      await arrangeStatus(world, path, { evacuationCancellationPolicy: 'Forbid' })
      return [said(world, await world.send('DELETE', path))]
    },
    expected: [forbidding('its evacuator')],
  },
  {
    sentence: deletionSentence,
    name: 'a policy cannot see that the pod is gone: until Lifeboat deletes it, it stays for others',
    run: async (world) => {
      const path = await arrangeForbidden(world, 'web')
      await mustSucceed(world.send('DELETE', `${podsPath(world)}/web`, undefined, { as: lifeboatUser }))
      const refused = said(world, await world.send('DELETE', path))
      return [refused, said(world, await world.send('DELETE', path, undefined, { as: lifeboatUser }))]
    },
    expected: [forbidding('the evacuator a.example.com'), '200'],
  },
  {
    sentence: deletionSentence,
    name: 'under Allow it can be deleted',
    run: async (world) => {
      const path = await arrangeEvacuation(world, await arrangePod(world, 'web'))
      return [said(world, await world.send('DELETE', path))]
    },
    expected: ['200'],
  },
  {
    sentence: deletionSentence,
    name: 'a deletion of all of them stops at it',
    run: async (world) => {
      await arrangeForbidden(world, 'web')
      return [said(world, await world.send('DELETE', evacuationsPath(world)))]
    },
    expected: [containing('403 Forbidden')],
  },
  ...['namespace-controller', 'generic-garbage-collector'].map((account) => ({
    name: `whoever cleans up is not stopped: ${account}`,
    run: async (world: StoryWorld) => {
      const path = await arrangeForbidden(world, 'web')
      const as = `system:serviceaccount:kube-system:${account}`
      return [said(world, await world.send('DELETE', path, undefined, { as }))]
    },
    expected: ['200'],
  })),
]

const rightSentence =
  "Principal making the request should be authorized for deleting pods that match the Evacuation's `.spec.podRef`."

const denied = (deed: string) => (deed === 'create' ? deniedByWebhook('joe') : deniedByPolicy(deed, 'joe'))

const rights: readonly Story[] = [
  {
    sentence: rightSentence,
    name: 'without that right nobody can create, change or delete one',
    run: async (world) => {
      await arrangeUser(world, 'joe', [])
      const pod = await arrangePod(world, 'web')
      const as = { as: 'joe' }
      const path = evacuationPath(world, pod)
      const created = await world.send('POST', evacuationsPath(world), buildEvacuation(pod), as)
      await arrangeEvacuation(world, pod)
      const finalizers = await world.send('PATCH', path, { metadata: { finalizers: [] } }, as)
      const status = await world.send('PATCH', `${path}/status`, { status: { message: 'mine' } }, as)
      const deleted = await world.send('DELETE', path, undefined, as)
      const all = await world.send('DELETE', evacuationsPath(world), undefined, as)
      const kept = (await readEvacuation(world, pod))['metadata'] as unknown as { finalizers: string[] }
      const answers = [created, finalizers, status, deleted, all].map((answer) => said(world, answer))
      return [...answers, kept.finalizers]
    },
    expected: [
      denied('create'),
      denied('change'),
      denied('change'),
      denied('delete'),
      nameless(denied('delete')),
      [instigator],
    ],
  },
  {
    sentence: rightSentence,
    name: 'a change of podRef does not change the right that is asked for',
    run: async (world) => {
      await arrangeUser(world, 'ann', [{ verbs: ['delete'], resourceNames: ['mine'] }])
      const pod = await arrangePod(world, 'web')
      const mine = await arrangePod(world, 'mine')
      const path = await arrangeEvacuation(world, pod)
      const patch = { metadata: { finalizers: [] }, spec: { podRef: { name: mine.name, uid: mine.uid } } }
      // The schema is asked first, and refuses to change podRef at all.
      return [said(world, await world.send('PATCH', path, patch, { as: 'ann' }))]
    },
    expected: [containing('podRef is immutable')],
  },
  {
    sentence: rightSentence,
    name: 'the right to delete that one pod is enough',
    run: async (world) => {
      await arrangeUser(world, 'ann', [{ verbs: ['delete'], resourceNames: ['web'] }])
      const pod = await arrangePod(world, 'web')
      const other = await arrangePod(world, 'other')
      const as = { as: 'ann' }
      const path = evacuationPath(world, pod)
      return [
        said(world, await world.send('POST', evacuationsPath(world), buildEvacuation(other), as)),
        said(world, await world.send('POST', evacuationsPath(world), buildEvacuation(pod), as)),
        said(world, await world.send('PATCH', `${path}/status`, { status: { message: 'mine' } }, as)),
        said(world, await world.send('DELETE', path, undefined, as)),
      ]
    },
    expected: [containing('user "ann" may not delete pod NS/other'), '201', '200', '200'],
  },
  {
    sentence: rightSentence,
    name: 'the right to delete all pods of the namespace is enough',
    run: async (world) => {
      await arrangeUser(world, 'bob', [{ verbs: ['delete'] }])
      const pod = await arrangePod(world, 'web')
      return [said(world, await world.send('POST', evacuationsPath(world), buildEvacuation(pod), { as: 'bob' }))]
    },
    expected: ['201'],
  },
  {
    sentence: 'EvacuationProgressTimestamp cannot be set to the future time (after taking time skew into account).',
    name: 'what lies ahead is read as now by Lifeboat, so it is taken; what is no time is not',
    run: async (world) => {
      const path = await arrangeEvacuation(world, await arrangePod(world, 'web'))
      const report = async (evacuationProgressTimestamp: string) => {
        const status = { evacuationProgressTimestamp }
        return said(world, await world.send('PATCH', `${path}/status`, { status }))
      }
      return [
        await report(world.timeIn(3_600_000)),
        await report(world.timeIn(-3_600_000)),
        await report('soon'),
        await report(''),
        await report('2026-13-01T00:00:00Z'),
      ]
    },
    expected: [
      '200',
      '200',
      ...Array.from({ length: 3 }, () =>
        containing('422 Invalid: Evacuation.evacuation.coordination.k8s.io "UID-web" is invalid'),
      ),
    ],
  },
]

export const evacuationAdmissionStories: readonly Story[] = [
  ...creation,
  ...deletion,
  ...rights,
  rightsStory('answers'),
]
