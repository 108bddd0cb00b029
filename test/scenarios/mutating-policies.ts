import {
  arrangeWebhooks,
  configMap,
  merge,
  onlyHere,
  paths,
  refusedAt,
  rule,
  type AdmissionScenario,
  type AdmissionWorld,
} from './admission-world.ts'
import type { World } from './scenario.ts'

// MutatingAdmissionPolicies whose mutations are JSON patches, as a client meets them.

const policies = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'
const bindings = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings'
const { configMaps, pods, secrets } = paths

interface MutatingCase {
  readonly name?: string
  readonly rules?: readonly object[]
  readonly spec?: object
  readonly patches: readonly string[]
  readonly binding?: object
}

function policyOf({
  name = 'NS-policy',
  rules = [rule('configmaps', 'CREATE,UPDATE')],
  spec = {},
  patches,
}: MutatingCase) {
  const mutations = patches.map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } }))
  const matchConstraints = { resourceRules: rules, namespaceSelector: onlyHere }
  return { metadata: { name }, spec: { matchConstraints, mutations, reinvocationPolicy: 'Never', ...spec } }
}

const adding = (path: string, value: string) => `[JSONPatch{op: "add", path: "${path}", value: ${value}}]`

async function arrange(world: World, ...cases: readonly MutatingCase[]): Promise<void> {
  const sentinel: MutatingCase = {
    name: 'NS-sentinel',
    rules: [rule('secrets')],
    patches: [adding('/data', '{"in": "ZWZmZWN0"}')],
  }
  for (const each of [...cases, sentinel]) {
    await world.arrange('POST', policies, policyOf(each))
    const { name = 'NS-policy', binding = {} } = each
    await world.arrange('POST', bindings, { metadata: { name }, spec: { policyName: name, ...binding } })
  }
  const attempt = async () => {
    const answer = await world.attempt('POST', secrets, { metadata: { name: 'sentinel' } })
    await world.attempt('DELETE', `${secrets}/sentinel`, undefined)
    return answer
  }
  await world.eventually('the policy is in effect', attempt, ({ body }) => body['data'] !== undefined)
}

async function create(world: AdmissionWorld, object: object): Promise<void> {
  const { status, body } = await world.attempt('POST', configMaps, object)
  const { metadata, data } = body as {
    metadata?: { labels?: object; annotations?: object; name?: string }
    data?: object
  }
  world.observe('created', {
    status,
    ...(status < 300
      ? { name: metadata?.name, labels: metadata?.labels, annotations: metadata?.annotations, data }
      : { code: body['code'], reason: body['reason'], message: body['message'], details: body['details'] }),
  })
}

function created(name: string, one: MutatingCase, ...objects: readonly object[]): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrange(world, one)
      for (const object of objects) await create(world, object)
    },
  }
}

const plain = configMap('a', { data: { key: 'value' } })
const labelled = configMap('a', { data: { key: 'value' } }, { labels: { app: 'web' } })

const patching: readonly AdmissionScenario[] = [
  created('a patch adds a field', { patches: [adding('/data/more', "'x'")] }, plain),
  created(
    'a patch adds what has to be there first',
    { patches: [adding('/metadata/labels', '{"tier": "one"}')] },
    plain,
  ),
  created(
    'several operations go one after the other',
    {
      patches: [
        `[JSONPatch{op: "add", path: "/data/b", value: "1"},
          JSONPatch{op: "copy", from: "/data/b", path: "/data/c"},
          JSONPatch{op: "move", from: "/data/key", path: "/data/moved"},
          JSONPatch{op: "replace", path: "/data/b", value: object.data.key + "!"}]`,
      ],
    },
    plain,
  ),
  created(
    'the second mutation sees what the first made',
    { patches: [adding('/data/first', "'1'"), adding('/data/second', "object.data.first + '2'")] },
    plain,
  ),
  created(
    'no operation changes nothing',
    { patches: ["object.metadata.name == 'b' ? [JSONPatch{op: 'remove', path: '/data'}] : []"] },
    plain,
  ),
  created(
    'a test that does not hold leaves all of the patch away',
    {
      patches: [
        '[JSONPatch{op: "add", path: "/data/x", value: "1"}, JSONPatch{op: "test", path: "/data/key", value: "other"}]',
      ],
    },
    plain,
  ),
  created(
    'a test that holds lets it through',
    {
      patches: [
        '[JSONPatch{op: "test", path: "/data/key", value: "value"}, JSONPatch{op: "add", path: "/data/x", value: "1"}]',
      ],
    },
    plain,
  ),
  created(
    'lists are mapped and filtered into values',
    {
      patches: [
        adding('/data/keys', "object.data.map(key, key).filter(key, key != 'b').map(key, key + '!').join(',')"),
      ],
    },
    configMap('a', { data: { b: '' } }),
    configMap('c', { data: { c: '' } }),
  ),
  created(
    'a key is escaped by hand',
    {
      patches: [
        '[JSONPatch{op: "add", path: "/metadata/annotations", value: {}}, JSONPatch{op: "add", path: "/metadata/annotations/example.com~1x", value: "1"}]',
      ],
    },
    plain,
  ),
]

const matching: readonly AdmissionScenario[] = [
  created(
    'a match condition exempts',
    {
      spec: {
        matchConditions: [
          { name: 'web', expression: "has(object.metadata.labels) && object.metadata.labels.app == 'web'" },
        ],
      },
      patches: [adding('/data/x', "'1'")],
    },
    plain,
    configMap('b', {}, { labels: { app: 'web' } }),
    configMap('c', { data: { key: 'value' } }, { labels: { app: 'web' } }),
  ),
  created(
    'a binding for others',
    {
      patches: [adding('/data/x', "'1'")],
      binding: { matchResources: { objectSelector: { matchLabels: { app: 'web' } } } },
    },
    plain,
    configMap('b', { data: { key: 'value' } }, { labels: { app: 'web' } }),
  ),
  created(
    'variables are there for conditions of patches',
    {
      spec: { variables: [{ name: 'n', expression: 'object.metadata.name + "!"' }] },
      patches: [adding('/data/n', 'variables.n')],
    },
    plain,
  ),
  {
    name: 'an update is changed too, and the object of before is known',
    run: async (world) => {
      await arrange(world, {
        patches: ["oldObject == null ? [] : [JSONPatch{op: 'add', path: '/data/before', value: oldObject.data.key}]"],
      })
      await create(world, plain)
      const { body } = await world.attempt('PATCH', `${configMaps}/a`, { data: { key: 'next' } }, merge)
      world.observe('updated', body['data'])
    },
  },
  {
    name: 'a deletion is not changed and not refused',
    run: async (world) => {
      await arrange(world, {
        patches: ["[JSONPatch{op: 'remove', path: '/nothing'}]"],
        rules: [rule('configmaps', 'UPDATE')],
      })
      await create(world, plain)
      await world.send('DELETE', `${configMaps}/a`)
    },
  },
  {
    name: 'a policy comes before a webhook',
    run: async (world) => {
      const client = world.hook('/mutating', (request) => {
        const { object } = request as { object?: { data?: Record<string, string> } }
        const patch = [{ op: 'add', path: '/data/hook', value: `saw ${object?.data?.['policy']}` }]
        return {
          response: {
            allowed: true,
            patchType: 'JSONPatch',
            patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
          },
        }
      })
      await arrange(world, { patches: [adding('/data/policy', "'it'")] })
      await arrangeWebhooks(world, 'mutating', { client })
      await create(world, plain)
    },
  },
]

const failing: readonly AdmissionScenario[] = [
  created('an expression that fails refuses', { patches: [adding('/data/x', 'object.data.missing')] }, plain),
  created(
    'where failures are ignored it does not',
    { spec: { failurePolicy: 'Ignore' }, patches: [adding('/data/x', 'object.data.missing')] },
    plain,
  ),
  created(
    'and what other mutations do stands',
    {
      spec: { failurePolicy: 'Ignore' },
      patches: [adding('/data/x', "'1'"), adding('/data/y', 'object.data.missing'), adding('/data/z', "'3'")],
    },
    plain,
  ),
  ...[
    { op: 'add', at: '/nothing/x' },
    { op: 'replace', at: '/nothing/x' },
    { op: 'remove', at: '/nothing/x' },
    { op: 'remove', at: '/data/x' },
    { op: 'add', at: '/data/key/x' },
  ].map(({ op, at }) =>
    created(`nothing to ${op} at ${at}`, { patches: [`[JSONPatch{op: "${op}", path: "${at}", value: "1"}]`] }, plain),
  ),
  created(
    'a condition that fails refuses',
    {
      spec: { matchConditions: [{ name: 'c', expression: "object.data.missing == '1'" }] },
      patches: [adding('/data/x', "'1'")],
    },
    plain,
  ),
]

const checking: readonly AdmissionScenario[] = [
  {
    name: 'what is wrong with a policy is told by its field',
    run: async (world) => {
      const right = policyOf({ patches: [adding('/data/x', "'1'")] })
      const { spec } = right
      const wrong = (changes: object) => refusedAt(world, policies, { ...right, spec: { ...spec, ...changes } })
      await wrong({ mutations: [] })
      await wrong({ mutations: [{ patchType: 'JSONPatch' }] })
      await wrong({ mutations: [{ jsonPatch: { expression: '[]' } }] })
      await wrong({ mutations: [{ patchType: 'Merge', jsonPatch: { expression: '[]' } }] })
      await wrong({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: ' ' } }] })
      await wrong({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{oops: 1}]' } }] })
      await wrong({ mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[' } }] })
      await wrong({ reinvocationPolicy: 'Always' })
      await wrong({ reinvocationPolicy: '' })
      await wrong({ failurePolicy: 'Hope' })
      await wrong({ matchConstraints: undefined })
      await wrong({ matchConstraints: { resourceRules: [] } })
      await wrong({ matchConstraints: { resourceRules: [rule('configmaps', 'DELETE')] } })
      await refusedAt(world, bindings, { metadata: { name: 'NS-b' }, spec: {} })
    },
  },
  {
    name: 'what is left out is filled in',
    run: async (world) => {
      const { body } = await world.arrange('POST', policies, policyOf({ patches: [adding('/data/x', "'1'")] }))
      world.observe('the policy', body['spec'])
      await world.attempt('DELETE', `${policies}/NS-policy`, undefined)
    },
  },
]

const pod = (name: string, annotations: object, tolerations?: readonly object[]) => ({
  metadata: { name, namespace: 'NS', annotations },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(tolerations === undefined ? {} : { tolerations }) },
})

const tolerating: readonly AdmissionScenario[] = [
  {
    name: 'the default tolerations of a pod are there before the policy',
    run: async (world) => {
      const longer =
        "has(t.tolerationSeconds) && t.key.startsWith('node.kubernetes.io/') ? t.tolerationSeconds + 60 : 0"
      await arrange(world, {
        rules: [rule('pods')],
        patches: [
          `[JSONPatch{op: "add", path: "/metadata/annotations/sums", value: object.spec.tolerations.map(t, string(${longer})).join(' ')}]`,
        ],
      })
      for (const each of [
        pod('a', { x: '1' }),
        pod('b', { x: '1' }, [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }]),
      ]) {
        const { body } = await world.arrange('POST', pods, each)
        world.observe('sums', (body['metadata'] as { annotations?: object }).annotations)
      }
    },
  },
]

const scenarios: readonly AdmissionScenario[] = [
  ...patching,
  ...matching,
  ...failing,
  ...checking,
  ...tolerating,
  created(
    'labels and annotations are changed as well',
    { patches: [adding('/metadata/labels/tier', "'one'")] },
    labelled,
  ),
]

export const mutatingPolicyScenarios = scenarios.map(({ name, run }): AdmissionScenario => ({
  name,
  run,
  needs: 'mutatingPolicies',
}))
