import { expect } from 'vitest'
import { finishedMark } from '../../src/api/evacuation/finished-mark.ts'
import {
  arrangePod,
  arrangeUser,
  buildEvacuation,
  evacuationPath,
  evacuationsPath,
  instigator,
  lifeboatUser,
  mustSucceed,
  said,
  type PodFacts,
  type Story,
  type StoryWorld,
} from './admission-story.ts'

// Who may write an Evacuation, told in every state in which Lifeboat can be. Joe may do everything with Evacuations and
// must not delete pods; Ann may do both.

/** `answers`: Lifeboat runs. `isNotThere`: it stopped in good order. `doesNotAnswer`: it was killed, or never started. */
export type WebhookState = 'answers' | 'isNotThere' | 'doesNotAnswer'

const evacuatorClass = 'vm.example.com'

/** Somebody else moves the pod and takes its time, so whatever Lifeboat does, both stay. */
async function arrangeHeldEvacuation(world: StoryWorld, name: string): Promise<PodFacts> {
  const annotations = { [`evacuation.coordination.k8s.io/priority_${evacuatorClass}`]: '100' }
  const pod = await arrangePod(world, name, { annotations })
  const body = buildEvacuation(pod, { spec: { evacuators: [{ evacuatorClass, priority: 100 }] } })
  // Lifeboat's own account needs no webhook to answer.
  await mustSucceed(world.send('POST', evacuationsPath(world), body, { as: lifeboatUser }))
  return pod
}

type Deed = readonly [name: string, send: (as: string) => Promise<string>]

function deedsOn(world: StoryWorld, pod: PodFacts): Deed[] {
  const path = evacuationPath(world, pod)
  const patch = async (as: string, body: object, at = path) => said(world, await world.send('PATCH', at, body, { as }))
  return [
    ['mark', (as) => patch(as, { metadata: { labels: finishedMark } })],
    ['label', (as) => patch(as, { metadata: { labels: { by: as } } })],
    ['annotate', (as) => patch(as, { metadata: { annotations: { by: as } } })],
    ['status', (as) => patch(as, { status: { message: as } }, `${path}/status`)],
    ['forbid', (as) => patch(as, { status: { evacuationCancellationPolicy: 'Forbid' } }, `${path}/status`)],
    ['allow', (as) => patch(as, { status: { evacuationCancellationPolicy: 'Allow' } }, `${path}/status`)],
    ['delete', async (as) => said(world, await world.send('DELETE', path, undefined, { as }))],
    ['delete all', async (as) => said(world, await world.send('DELETE', evacuationsPath(world), undefined, { as }))],
    ['finalizers', (as) => patch(as, { metadata: { finalizers: [] } })],
  ]
}

async function doAll(deeds: readonly Deed[], as: string): Promise<Record<string, string>> {
  const answers: Record<string, string> = {}
  for (const [name, send] of deeds) answers[name] = await send(as)
  return answers
}

const policy = 'lifeboat-evacuation-rights'
/** A request for a whole collection names none of its objects. */
export const nameless = (text: string) => text.replace('"UID-web"', '"Unknown"')

export const deniedByPolicy = (deed: string, user: string, pod = 'web') =>
  `403 Forbidden: evacuations.evacuation.coordination.k8s.io "UID-${pod}" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: user "${user}" may not delete pod NS/${pod}, so it may not ${deed} its Evacuation`

const deniedMark = `403 Forbidden: evacuations.evacuation.coordination.k8s.io "UID-web" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: user "ann" may not set the label evacuation.coordination.k8s.io/finished: Lifeboat does when the pod is gone, and deletes the Evacuation`

export const deniedByWebhook = (user: string, pod = 'web') =>
  `403 Forbidden: admission webhook "mutate.evacuation.coordination.k8s.io" denied the request: user "${user}" may not delete pod NS/${pod}, so it may not create its Evacuation`

const unanswered: unknown = expect.stringMatching(/^500 InternalError: .*failed calling webhook "mutate\./)

export function rightsStory(webhook: WebhookState): Story {
  const change = deniedByPolicy('change', 'joe')
  const changes = { mark: change, label: change, annotate: change, status: change, forbid: change, allow: change }
  const removal = deniedByPolicy('delete', 'joe')
  const created = { answers: '201', isNotThere: '201', doesNotAnswer: unanswered }[webhook]
  const refused = {
    answers: deniedByWebhook('joe', 'new'),
    isNotThere: deniedByPolicy('create', 'joe', 'new'),
    doesNotAnswer: unanswered,
  }[webhook]
  const done = { mark: deniedMark, label: '200', annotate: '200', status: '200', forbid: '200', allow: '200' }
  return {
    name: 'who may not delete a pod can neither create, change nor delete its Evacuation, and who may can',
    run: async (world) => {
      await arrangeUser(world, 'joe', [])
      await arrangeUser(world, 'ann', [{ verbs: ['delete'] }])
      const pod = await arrangeHeldEvacuation(world, 'web')
      const path = evacuationPath(world, pod)
      const read = async () => {
        const { body } = await mustSucceed(world.send('GET', path))
        const { labels, finalizers, deletionTimestamp } = body['metadata'] as Record<string, Record<string, unknown>>
        return { by: labels?.['by'], finalizers, isGoing: deletionTimestamp !== undefined }
      }
      const annotations = { [`evacuation.coordination.k8s.io/priority_${evacuatorClass}`]: '100' }
      const fresh = await arrangePod(world, 'new', { annotations })
      const create = async (as: string) =>
        said(world, await world.send('POST', evacuationsPath(world), buildEvacuation(fresh), { as }))
      const deeds = deedsOn(world, pod)
      await untilRightsAreKnown(world)
      const joes = { create: await create('joe'), ...(await doAll(deeds, 'joe')) }
      const kept = await read()
      const anns = { create: await create('ann'), ...(await doAll(deeds.slice(0, 6), 'ann')) }
      await tidyUp(world, fresh)
      return [joes, kept, anns, await doAll(deeds.slice(6), 'ann'), await isGone(world, path)]
    },
    expected: [
      { create: refused, ...changes, delete: removal, 'delete all': nameless(removal), finalizers: change },
      { finalizers: [instigator], isGoing: false },
      { create: created, ...done },
      { delete: '200', 'delete all': '200', finalizers: '200' },
      true,
    ],
  }
}

/** Roles take a moment until the authorizer of the API server knows them. */
async function untilRightsAreKnown(world: StoryWorld): Promise<void> {
  for (const as of ['joe', 'ann']) {
    for (let tries = 0; tries < 100; tries++) {
      const { status } = await world.send('GET', evacuationsPath(world), undefined, { as })
      if (status === 200) break
      await world.pass(50)
    }
  }
}

/** What Ann may have created must not be found by the next Lifeboat. */
async function tidyUp(world: StoryWorld, pod: PodFacts): Promise<void> {
  const path = evacuationPath(world, pod)
  await world.send('PATCH', path, { metadata: { finalizers: [] } })
  await world.send('DELETE', path)
}

async function isGone(world: StoryWorld, path: string): Promise<boolean> {
  return (await world.send('GET', path)).status === 404
}
