import { expect } from 'vitest'
import { selectionWarning } from '../../src/admission/reviews/selection-warnings.ts'
import { defaultDrainPlan } from '../../src/api/maintenance/drain-plan.ts'
import { mayFollow, stages } from '../../src/api/maintenance/stage.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { mustSucceed, said, type Story, type StoryAnswer, type StoryWorld } from './admission-story.ts'

// 'NodeMaintenance Admission' of the specification, and what a NodeMaintenance may not be. On both grounds all of
// Lifeboat runs: what selects nodes here stays Idle, or is a dry run, so that nothing happens to them.

const collection = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
const pathOf = ({ namespace }: StoryWorld, name = 'upgrade') => `${collection}/${namespace}-${name}`
const containing = (...texts: string[]) => expect.stringContaining(texts.join('')) as unknown
const dryRun = { query: { dryRun: 'All' } }

const named = (...names: string[]) => ({
  nodeSelectorTerms: names.map((name) => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  })),
})
const labelled = (key: string, operator: string, values?: readonly string[]) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] }],
})
/** Whatever nodes others have left in the cluster. */
const everyNode = labelled('example.com/nobody-has-it', 'DoesNotExist')
const nobody = ({ namespace }: StoryWorld) => named(`${namespace}-nobody`)

function maintenance(world: StoryWorld, spec: object = {}, name = 'upgrade') {
  return {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: `${world.namespace}-${name}` },
    spec: { nodeSelector: nobody(world), ...spec },
  }
}

const creating = (world: StoryWorld, spec: object, options: { as?: string; query?: Record<string, string> } = {}) =>
  world.send('POST', collection, maintenance(world, spec), options)

/** Leaves none of the story's maintenances behind. */
async function tidied<T>(world: StoryWorld, tell: () => Promise<T>): Promise<T> {
  try {
    return await tell()
  } finally {
    for (const name of ['upgrade', 'other']) await world.send('DELETE', pathOf(world, name))
  }
}

/** With nodes that only this story knows, and that Lifeboat has seen; and without them afterwards. */
async function withNodes<T>(
  world: StoryWorld,
  nodes: Readonly<Record<string, Readonly<Record<string, string>>>>,
  tell: () => Promise<T>,
): Promise<T> {
  const names = Object.keys(nodes).map((name) => `${world.namespace}-${name}`)
  for (const [name, labels] of Object.entries(nodes)) {
    const node = buildNode({ name: `${world.namespace}-${name}`, labels: { ...labels, story: world.namespace } })
    await mustSucceed(world.send('POST', '/api/v1/nodes', node))
  }
  for (const name of names) await untilSelected(world, name, true)
  try {
    return await tidied(world, tell)
  } finally {
    for (const name of names) await world.send('DELETE', `/api/v1/nodes/${name}`)
    for (const name of names) await untilSelected(world, name, false)
  }
}

async function untilSelected(world: StoryWorld, node: string, isSelected: boolean): Promise<void> {
  await until(world, async () => {
    const { warnings } = await mustSucceed(creating(world, { nodeSelector: named(node) }, dryRun))
    return warnings.includes(selectionWarning.noNode) !== isSelected
  })
}

async function until(world: StoryWorld, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; !(await isSo()); tries++) {
    if (tries > 600) throw new Error('it did not come about')
    await world.pass(50)
  }
}

/** Lets a user do everything with NodeMaintenances, and so much with nodes. Returns the user. */
async function arrangeUser(
  world: StoryWorld,
  name: string,
  nodeRules: readonly { verbs: readonly string[]; resourceNames?: readonly string[] }[],
): Promise<string> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  const user = `${name}-${world.namespace}`
  const maintenances = ['nodemaintenances', 'nodemaintenances/status']
  const rules = [
    { apiGroups: ['nodemaintenance.k8s.io'], resources: maintenances, verbs: ['*'] },
    ...nodeRules.map((rule) => ({ apiGroups: [''], resources: ['nodes'], ...rule })),
  ]
  await mustSucceed(world.send('POST', `${rbac}/clusterroles`, { metadata: { name: user }, rules }))
  await mustSucceed(
    world.send('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    }),
  )
  await until(world, async () => (await world.send('GET', collection, undefined, { as: user })).status === 200)
  return user
}

const entry = (podPriority: number, podType = 'Default', extra: object = {}) => ({ podPriority, podType, ...extra })
const postgres = { podSelector: { matchLabels: { app: 'postgres' } } }

/** What the API server says of the fields, and what a person reads. */
function refusalOf(world: StoryWorld, { status, body }: StoryAnswer): unknown {
  const { message, details } = body as { message?: string; details?: { causes?: { field?: string }[] } }
  return { status, fields: details?.causes?.map(({ field }) => field), message: world.normal(message) }
}

const expressions = 'spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0]'
const drainPlanField = 'spec.drainPlan'
const wrongOrder = 'spec.drainPlan: Invalid value: entries must be in the order Default, DaemonSet, Static; of one type'
const twice = 'spec.drainPlan: Invalid value: no entry may be there twice'
const priorityField = 'spec.drainPlan[0].podPriority'

interface RefusedBySchema extends Pick<Story, 'name' | 'needs'> {
  readonly spec: object
  readonly field: string
  readonly message: string
}

const refusedBySchema: readonly RefusedBySchema[] = [
  {
    name: 'an unknown operator in the node selector',
    spec: { nodeSelector: labelled('pool', 'Equals', ['blue']) },
    field: `${expressions}.operator`,
    message: 'supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
  },
  {
    name: 'a plan whose priorities go down',
    spec: { drainPlan: [entry(2_000), entry(1_000)] },
    field: drainPlanField,
    message: wrongOrder,
  },
  {
    name: 'a plan whose types are out of order',
    spec: { drainPlan: [entry(1_000, 'Static'), entry(1_000, 'DaemonSet')] },
    field: drainPlanField,
    message: wrongOrder,
  },
  {
    name: 'a plan with a selector after none',
    spec: { drainPlan: [entry(1_000), entry(1_000, 'Default', postgres)] },
    field: drainPlanField,
    message: wrongOrder,
  },
  {
    name: 'an entry that is there twice',
    spec: { drainPlan: [entry(1_000), entry(1_000)] },
    field: drainPlanField,
    message: twice,
  },
  {
    name: 'a default entry that is there twice',
    spec: { drainPlan: [entry(1_000_000_000), entry(1_000_000_000)] },
    field: drainPlanField,
    message: twice,
  },
  {
    name: 'an unknown pod type',
    spec: { drainPlan: [entry(1_000, 'Virtual')] },
    field: 'spec.drainPlan[0].podType',
    message: 'Unsupported value: "Virtual": supported values: "Default", "DaemonSet", "Static"',
  },
  {
    name: 'a priority above 32 bits',
    needs: 'valuesInRefusals',
    spec: { drainPlan: [entry(2_147_483_648)] },
    field: priorityField,
    message: `${priorityField}: Invalid value: `,
  },
  {
    name: 'a priority below 32 bits',
    needs: 'valuesInRefusals',
    spec: { drainPlan: [entry(-2_147_483_649)] },
    field: priorityField,
    message: `${priorityField}: Invalid value: `,
  },
]

const refusedByWebhook: readonly { name: string; spec: object; webhook: string; message: string }[] = [
  {
    name: 'a label key that no pod can have',
    spec: { drainPlan: [entry(1_000, 'Default', { podSelector: { matchLabels: { 'no key': 'x' } } })] },
    webhook: 'validate',
    message: 'spec.drainPlan[0].podSelector.matchLabels is "no key": must be ',
  },
  {
    name: 'a plan that has no room for the default entries',
    spec: { drainPlan: Array.from({ length: 53 }, (_, index) => entry(index)) },
    webhook: 'mutate',
    message: 'spec.drainPlan is [{"podPriority":0,"podType":"Default"},',
  },
]

const refusing = (name: string, spec: object, expected: object): Story => ({
  name: `${name} is refused by name of field`,
  run: async (world) => [refusalOf(world, await creating(world, spec))],
  expected: [expected],
})

const refusals: readonly Story[] = [
  ...refusedBySchema.map(({ name, spec, field, message, needs }) =>
    Object.assign(
      refusing(name, spec, { status: 422, fields: expect.arrayContaining([field]), message: containing(message) }),
      needs === undefined ? {} : { needs },
    ),
  ),
  ...refusedByWebhook.map(({ name, spec, webhook, message }) =>
    refusing(name, spec, {
      status: 422,
      message: containing(`admission webhook "${webhook}.nodemaintenance.k8s.io" denied the request: ${message}`),
    }),
  ),
]

const rightSentence =
  'All nodes matching the `.spec.nodeSelector` must pass an authorization check for the DELETE operation.'
const denied = (user: string, node: string) =>
  expect.stringMatching(
    new RegExp(
      `^403 Forbidden: admission webhook "validate\\.nodemaintenance\\.k8s\\.io" denied the request: spec\\.nodeSelector is {.*: must select only nodes that user "${user}-NS" may delete, and node NS-${node} is none of them$`,
    ),
  ) as unknown

const rights: readonly Story[] = [
  {
    sentence: rightSentence,
    name: 'without that right nobody can create, change or delete one',
    run: (world) =>
      withNodes(world, { one: {}, two: {} }, async () => {
        const as = await arrangeUser(world, 'joe', [])
        const spec = { nodeSelector: labelled('story', 'In', [world.namespace]) }
        const created = await creating(world, spec, { as })
        await mustSucceed(creating(world, spec))
        const send = (method: 'PATCH' | 'DELETE', path: string, body?: object) => world.send(method, path, body, { as })
        const path = pathOf(world)
        const answers = [
          created,
          await send('PATCH', path, { metadata: { labels: { mine: 'yes' } } }),
          await send('PATCH', path, { spec: { stage: 'Complete' } }),
          await send('PATCH', path, { spec: { nodeSelector: nobody(world) } }),
          await send('PATCH', `${path}/status`, { status: { drainStatus: { nodesDrained: 2 } } }),
          await send('DELETE', path),
          await world.send('DELETE', collection, undefined, {
            as,
            query: { fieldSelector: `metadata.name=${world.namespace}-upgrade` },
          }),
        ]
        return answers.map((answer) => said(world, answer))
      }),
    expected: Array.from({ length: 7 }, () => denied('joe', 'one')),
  },
  {
    sentence: rightSentence,
    name: 'the right to delete one of the nodes is not enough for both',
    run: (world) =>
      withNodes(world, { hers: {}, theirs: {} }, async () => {
        const [hers, theirs] = [`${world.namespace}-hers`, `${world.namespace}-theirs`]
        const as = await arrangeUser(world, 'ann', [{ verbs: ['delete'], resourceNames: [hers] }])
        const stored = maintenance(world, { nodeSelector: named(theirs) }, 'other')
        await mustSucceed(world.send('POST', collection, stored))
        const answers = [
          await creating(world, { nodeSelector: named(hers, theirs) }, { as }),
          await creating(world, { nodeSelector: named(hers) }, { as }),
          // Neither may she extend hers to the other, nor take over what is not hers.
          await world.send('PATCH', pathOf(world), { spec: { nodeSelector: named(theirs) } }, { as }),
          await world.send('PATCH', pathOf(world, 'other'), { spec: { nodeSelector: named(hers) } }, { as }),
          await world.send('DELETE', pathOf(world, 'other'), undefined, { as }),
          await world.send('DELETE', pathOf(world), undefined, { as }),
        ]
        return answers.map((answer) => said(world, answer))
      }),
    expected: [
      denied('ann', 'theirs'),
      '201',
      denied('ann', 'theirs'),
      denied('ann', 'theirs'),
      denied('ann', 'theirs'),
      '200',
    ],
  },
  {
    sentence: rightSentence,
    name: 'the right to delete each of them by name is enough',
    run: (world) =>
      withNodes(world, { one: {}, two: {} }, async () => {
        const resourceNames = ['one', 'two'].map((name) => `${world.namespace}-${name}`)
        const as = await arrangeUser(world, 'eve', [{ verbs: ['delete'], resourceNames }])
        return [said(world, await creating(world, { nodeSelector: named(...resourceNames) }, { as }))]
      }),
    expected: ['201'],
  },
  {
    sentence: rightSentence,
    name: 'the right to delete all nodes is enough',
    run: (world) =>
      withNodes(world, { one: {} }, async () => {
        const as = await arrangeUser(world, 'bob', [{ verbs: ['delete'] }])
        const created = await creating(world, { nodeSelector: named(`${world.namespace}-one`) }, { as })
        const deleted = await world.send('DELETE', pathOf(world), undefined, { as })
        return [said(world, created), said(world, deleted)]
      }),
    expected: ['201', '200'],
  },
]

const warnedSentence =
  'Also, if the `.spec.nodeSelector` matches all cluster nodes, a warning will be produced indicating that the cluster may get into a degraded and unrecoverable state.'
const controlPlane = { 'node-role.kubernetes.io/control-plane': '' }
const warned = ({ status, warnings }: StoryAnswer) => [status, warnings]

const warnings: readonly Story[] = [
  {
    sentence: warnedSentence,
    name: 'on creation, and when it goes on to a stage that takes something away; when it completes before it has begun, that it uncordons',
    run: (world) =>
      withNodes(world, { one: {} }, async () => {
        const changing = (body: object) => world.send('PATCH', pathOf(world), body, dryRun)
        return [
          warned(await creating(world, { nodeSelector: everyNode })),
          warned(await changing({ spec: { stage: 'Drain' } })),
          warned(await changing({ spec: { stage: 'Complete' } })),
          warned(await changing({ metadata: { labels: { mine: 'yes' } } })),
          warned(await world.send('DELETE', pathOf(world))),
        ]
      }),
    expected: [
      [201, [selectionWarning.allNodes]],
      [200, [selectionWarning.allNodes]],
      [200, [selectionWarning.uncordons]],
      [200, []],
      [200, []],
    ],
  },
  {
    name: 'all control-plane nodes: accepted with a warning; not all of them: without one',
    run: (world) =>
      withNodes(world, { head: controlPlane, deputy: controlPlane, worker: {} }, async () => {
        const [head, deputy, worker] = ['head', 'deputy', 'worker'].map((name) => `${world.namespace}-${name}`) as [
          string,
          string,
          string,
        ]
        const asking = async (nodeSelector: object) => warned(await creating(world, { nodeSelector }, dryRun))
        return [
          await asking(labelled('node-role.kubernetes.io/control-plane', 'Exists')),
          await asking(named(head, deputy)),
          await asking(named(head, worker)),
          await asking(named(worker)),
        ]
      }),
    expected: [
      [201, [selectionWarning.allControlPlaneNodes]],
      [201, [selectionWarning.allControlPlaneNodes]],
      [201, []],
      [201, []],
    ],
  },
  {
    name: 'no node: accepted with a warning, which is told even if the creation fails in the end',
    run: (world) =>
      tidied(world, async () => [
        warned(await creating(world, {})),
        warned(await creating(world, { nodeSelector: { nodeSelectorTerms: [{}] } }, dryRun)),
      ]),
    expected: [
      [201, [selectionWarning.noNode]],
      [409, [selectionWarning.noNode]],
    ],
  },
]

const planSentence = 'The following entries are injected into the drainPlan on the NodeMaintenance admission'
const planOf = ({ body }: StoryAnswer) => (body['spec'] as { drainPlan?: unknown }).drainPlan
/** It grows with every change of the spec. */
const generationOf = ({ body }: StoryAnswer) => (body['metadata'] as { generation: number }).generation
const own = [entry(1_000), entry(2_000, 'Default', postgres), entry(5, 'DaemonSet')]
const wholePlan = [own[0], own[1], ...defaultDrainPlan.slice(0, 4), own[2], ...defaultDrainPlan.slice(4)]
const stays = 'spec.drainPlan: Invalid value: drainPlan is immutable once set'

const plans: readonly Story[] = [
  {
    sentence: planSentence,
    name: 'into none, and between those that are there',
    run: (world) =>
      tidied(world, async () => [
        planOf(await mustSucceed(creating(world, {}))),
        planOf(await mustSucceed(world.send('POST', collection, maintenance(world, { drainPlan: own }, 'other')))),
      ]),
    expected: [defaultDrainPlan, wholePlan],
  },
  {
    name: 'the same manifest applied again changes nothing',
    run: (world) =>
      tidied(world, async () => {
        const manifest = maintenance(world, { drainPlan: own })
        await mustSucceed(world.send('POST', collection, manifest))
        const answers = [await world.send('PATCH', pathOf(world), manifest)]
        // Lifeboat may write the status in between.
        await until(world, async () => {
          const { body } = await mustSucceed(world.send('GET', pathOf(world)))
          const { metadata, spec } = body as { metadata: object; spec: object }
          const whole = { ...manifest, metadata, spec: { ...spec, drainPlan: own } }
          const replaced = await world.send('PUT', pathOf(world), whole)
          if (replaced.status !== 409) answers.push(replaced)
          return replaced.status !== 409
        })
        return answers.map((answer) => [said(world, answer), generationOf(answer), planOf(answer)])
      }),
    expected: [
      ['200', 1, wholePlan],
      ['200', 1, wholePlan],
    ],
  },
  {
    sentence: 'This field is immutable.',
    name: 'a plan with another entry, or with one less, or none any more, is refused',
    run: (world) =>
      tidied(world, async () => {
        await mustSucceed(creating(world, { drainPlan: own }))
        const changing = async (drainPlan: unknown) =>
          said(world, await world.send('PATCH', pathOf(world), { spec: { drainPlan } }))
        return [await changing([...own, entry(6, 'DaemonSet')]), await changing(own.slice(1)), await changing(null)]
      }),
    expected: [containing(stays), containing(stays), containing(stays)],
  },
]

const moves: readonly Story[] = stages.flatMap((from) =>
  stages.map((to) => ({
    name: `the stage goes from ${from} to ${to}: ${mayFollow(from, to) ? 'allowed' : 'refused'}`,
    run: (world: StoryWorld) =>
      tidied(world, async () => {
        await mustSucceed(creating(world, { stage: from }))
        return [said(world, await world.send('PATCH', pathOf(world), { spec: { stage: to } }))]
      }),
    expected: [
      mayFollow(from, to)
        ? '200'
        : containing(
            `is invalid: spec.stage: Invalid value: "${to}": `,
            `stage cannot go from ${from} to ${to}: it only moves forward (Idle, Cordon, Drain, Complete)`,
          ),
    ],
  })),
)

const cordonWarning = (words: string) =>
  `Validation failed for ValidatingAdmissionPolicy 'lifeboat-cordon' with binding 'lifeboat-cordon': node NS-six is under maintenance (nodemaintenance.k8s.io): ${words}`

/** Where no controller runs, so that the mark of a maintenance stays on a node that none selects. */
export const cordonStories: readonly Story[] = [
  {
    sentence:
      '`kubectl cordon` and `kubectl uncordon` commands will be enhanced with a warning that will warn the user if a node is made un/schedulable, and it collides with an existing NodeMaintenance object.',
    name: 'other nodes and other changes need none',
    run: async (world) => {
      const name = `${world.namespace}-six`
      const path = `/api/v1/nodes/${name}`
      await mustSucceed(world.send('POST', '/api/v1/nodes', buildNode({ name })))
      const changing = async (body: object) => warned(await world.send('PATCH', path, body))
      const cordon = (unschedulable: boolean) => changing({ spec: { unschedulable } })
      const status = '{"drainTargets":[],"drainMessage":"","podsPendingEvacuation":0,"podsEvacuating":0}'
      const marking = { metadata: { annotations: { 'nodemaintenance.k8s.io/maintenance-status': status } } }
      const before = [await cordon(true), await cordon(false), await changing(marking)]
      // The API server takes a moment to hear of a policy.
      await until(world, async () => {
        const { warnings: heard } = await world.send('PATCH', path, { spec: { unschedulable: true } }, dryRun)
        return heard.length > 0
      })
      // A real API server may first look at the node as it was a moment ago, and then says what it thinks of that too:
      // nothing here would be worth a warning on top of the step before.
      const during = [await cordon(true), await cordon(false), await changing({ metadata: { labels: { a: 'b' } } })]
      await mustSucceed(world.send('DELETE', path))
      return [before, during]
    },
    expected: [
      [
        [200, []],
        [200, []],
        [200, []],
      ],
      [
        [
          200,
          [
            cordonWarning(
              'it is cordoned anyway and becomes schedulable again when that completes. Cordon it afterwards if it should stay so',
            ),
          ],
        ],
        [200, [cordonWarning('it will be cordoned again. Complete the NodeMaintenance to make it schedulable')]],
        [200, []],
      ],
    ],
  },
]

export const maintenanceAdmissionStories: readonly Story[] = [...refusals, ...rights, ...warnings, ...plans, ...moves]
