import {
  arrangePod,
  arrangePolicies,
  bindingOf,
  configMap,
  eviction,
  merge,
  onlyHere,
  paths,
  policyOf,
  refusedAt,
  rule,
  type AdmissionScenario,
  type AdmissionWorld,
  type PolicyCase,
} from './admission-world.ts'

// ValidatingAdmissionPolicies, as a client meets them.

const never = { expression: 'false' }
const { configMaps, pods } = paths

/** A policy, and one or more objects that are created under it. */
function created(name: string, policy: PolicyCase, ...objects: readonly object[]): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrangePolicies(world, policy)
      for (const object of objects) await world.send('POST', configMaps, object)
      world.observeWarnings()
    },
  }
}

const words: readonly AdmissionScenario[] = [
  created('a refusal has the message', { validations: [{ ...never, message: ' no maps here ' }] }, configMap('a')),
  created('a refusal without a message has the expression', { validations: [never] }, configMap('a')),
  created(
    'a messageExpression wins over the message',
    {
      validations: [
        { ...never, message: 'fixed', messageExpression: "object.metadata.name + ' by ' + string(size(object.data))" },
      ],
    },
    configMap('a', { data: { key: 'value' } }),
  ),
  created(
    'a messageExpression that fails falls back to the message',
    { validations: [{ ...never, message: 'fixed', messageExpression: 'string(object.data.missing)' }] },
    configMap('a'),
  ),
  created(
    'a messageExpression of two lines falls back to the message',
    { validations: [{ ...never, message: 'fixed', messageExpression: String.raw`'one\ntwo'` }] },
    configMap('a'),
  ),
  created(
    'a reason gives the code 403',
    { validations: [{ ...never, message: 'no', reason: 'Forbidden' }] },
    configMap('a'),
  ),
  created(
    'a reason gives the code 413',
    { validations: [{ ...never, message: 'no', reason: 'RequestEntityTooLarge' }] },
    configMap('a'),
  ),
  created(
    'the first of several refusals is told',
    {
      validations: [
        { expression: 'true', message: 'fine' },
        { ...never, message: 'first', reason: 'Forbidden' },
        { ...never, message: 'second' },
      ],
    },
    configMap('a'),
  ),
  created(
    'a warning does not refuse, and each has its own',
    { validations: [{ ...never, message: 'first' }, never], actions: ['Warn'] },
    configMap('a'),
  ),
  created('an audit does nothing that a client sees', { validations: [never], actions: ['Audit'] }, configMap('a')),
]

const matching: readonly AdmissionScenario[] = [
  created(
    'a match condition exempts',
    {
      validations: [never],
      spec: {
        matchConditions: [
          { name: 'not-free', expression: "!has(object.metadata.labels) || !('free' in object.metadata.labels)" },
        ],
      },
    },
    configMap('a'),
    configMap('b', {}, { labels: { free: 'yes' } }),
  ),
  created(
    'a match condition exempts a group',
    {
      validations: [never],
      spec: { matchConditions: [{ name: 'no-masters', expression: "!('system:masters' in request.userInfo.groups)" }] },
    },
    configMap('a'),
  ),
  created(
    'a match condition that fails refuses',
    {
      validations: [{ expression: 'true' }],
      spec: { matchConditions: [{ name: 'bad', expression: "object.data.key == 'x'" }] },
    },
    configMap('a'),
  ),
  created(
    'match conditions that fail are all named',
    {
      validations: [{ expression: 'true' }],
      spec: {
        matchConditions: [
          { name: 'bad', expression: "object.data.key == 'x'" },
          { name: 'good', expression: 'true' },
          { name: 'worse', expression: "object.data.other == 'x'" },
        ],
      },
    },
    configMap('a'),
  ),
  created(
    'a match condition that fails is ignored where failures are',
    {
      validations: [never],
      spec: { failurePolicy: 'Ignore', matchConditions: [{ name: 'bad', expression: "object.data.key == 'x'" }] },
    },
    configMap('a'),
  ),
  created(
    'one false match condition exempts whatever the others do',
    {
      validations: [never],
      spec: {
        matchConditions: [
          { name: 'bad', expression: "object.data.key == 'x'" },
          { name: 'no', expression: 'false' },
        ],
      },
    },
    configMap('a'),
  ),
  created(
    'another namespace is not selected',
    { validations: [never], constraints: { namespaceSelector: { matchLabels: { nobody: 'has' } } } },
    configMap('a'),
  ),
  created(
    'an object selector selects',
    {
      validations: [never],
      constraints: { objectSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } },
    },
    configMap('a'),
    configMap('b', {}, { labels: { app: 'web' } }),
  ),
  created(
    'excluded resources are not judged',
    {
      rules: [rule('configmaps,pods')],
      validations: [never],
      constraints: { excludeResourceRules: [rule('configmaps')] },
    },
    configMap('a'),
  ),
  created(
    'names of resources select',
    { rules: [rule('configmaps', 'CREATE', { resourceNames: ['a'] })], validations: [never] },
    configMap('a'),
    configMap('b'),
  ),
  created(
    'a binding can match less',
    {
      validations: [never],
      binding: { matchResources: { objectSelector: { matchLabels: { app: 'web' } } } },
    },
    configMap('a'),
    configMap('b', {}, { labels: { app: 'web' } }),
  ),
  created(
    'a cluster-wide rule does not match what is in a namespace',
    { rules: [rule('configmaps', 'CREATE', { scope: 'Cluster' })], validations: [never] },
    configMap('a'),
  ),
  created(
    'another version matches nothing when it must be exact',
    {
      rules: [{ apiGroups: [''], apiVersions: ['v2'], operations: ['*'], resources: ['configmaps'] }],
      constraints: { matchPolicy: 'Exact' },
      validations: [never],
    },
    configMap('a'),
  ),
]

const evaluating: readonly AdmissionScenario[] = [
  created(
    'variables are evaluated when they are used, and use one another',
    {
      spec: {
        variables: [
          { name: 'keys', expression: 'has(object.data) ? object.data.map(key, key) : []' },
          { name: 'count', expression: 'size(variables.keys)' },
          { name: 'unused', expression: 'object.data.missing' },
        ],
      },
      validations: [{ expression: 'variables.count < 2', messageExpression: "'has ' + string(variables.count)" }],
    },
    configMap('a', { data: { one: '1', two: '2' } }),
    configMap('b', { data: { one: '1' } }),
    configMap('c'),
  ),
  created(
    'a variable that fails is named',
    {
      spec: { variables: [{ name: 'missing', expression: 'object.data.missing' }] },
      validations: [{ expression: "variables.missing == 'x'" }],
    },
    configMap('a', { data: { one: '1' } }),
  ),
  created(
    'an error refuses',
    { validations: [{ expression: "object.data.missing == 'x'", message: 'never said', reason: 'Forbidden' }] },
    configMap('a', { data: { one: '1' } }),
  ),
  created(
    'an error is only a warning where refusals are',
    { validations: [{ expression: 'object.data.list[3] == 1' }], actions: ['Warn'] },
    configMap('a', { data: { one: '1' } }),
  ),
  created(
    'an error is ignored where failures are',
    { spec: { failurePolicy: 'Ignore' }, validations: [{ expression: "object.data.missing == 'x'" }] },
    configMap('a', { data: { one: '1' } }),
  ),
  created(
    'numbers and texts are told apart',
    { validations: [{ expression: 'int(object.data.count) / int(object.data.by) > 1' }] },
    configMap('a', { data: { count: '7', by: '0' } }),
    configMap('b', { data: { count: '7', by: '3' } }),
  ),
  created(
    'the request is described',
    {
      validations: [
        {
          expression: 'false',
          messageExpression:
            "[request.operation, request.name, request.namespace, request.kind.kind, request.resource.resource, request.kind.group, request.dryRun ? 'dry' : 'wet', has(request.subResource) ? 'sub' : 'main', oldObject == null ? 'new' : 'old'].join(' ')",
        },
      ],
    },
    configMap('a'),
  ),
  created(
    'the namespace can be asked for',
    {
      validations: [
        {
          expression: "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != request.namespace",
          message: 'it is',
        },
      ],
    },
    configMap('a'),
  ),
]

function withParams(
  name: string,
  binding: object,
  arrange: (world: AdmissionWorld) => Promise<unknown>,
): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrange(world)
      await arrangePolicies(world, {
        spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
        validations: [
          {
            expression: "object.metadata.name.startsWith('limit') || size(object.data) <= int(params.data.max)",
            messageExpression: "'at most ' + params.data.max",
          },
        ],
        binding,
      })
      await world.send('POST', configMaps, configMap('a', { data: { one: '1', two: '2' } }))
      await world.send('POST', configMaps, configMap('b', { data: { one: '1' } }))
    },
  }
}

const limits = (world: AdmissionWorld) => world.arrange('POST', configMaps, configMap('limits', { data: { max: '1' } }))

const parameters: readonly AdmissionScenario[] = [
  withParams(
    'parameters come from a ConfigMap',
    { paramRef: { name: 'limits', namespace: 'NS', parameterNotFoundAction: 'Deny' } },
    limits,
  ),
  withParams(
    'parameters come from the namespace of the request',
    { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    limits,
  ),
  withParams(
    'parameters are selected',
    { paramRef: { selector: { matchLabels: { use: 'limits' } }, parameterNotFoundAction: 'Deny' } },
    (world) =>
      world.arrange('POST', configMaps, configMap('limits', { data: { max: '1' } }, { labels: { use: 'limits' } })),
  ),
  withParams(
    'parameters that are missing refuse',
    { paramRef: { name: 'gone', parameterNotFoundAction: 'Deny' } },
    limits,
  ),
  withParams(
    'parameters that are missing allow',
    { paramRef: { name: 'gone', parameterNotFoundAction: 'Allow' } },
    limits,
  ),
  withParams('a binding without parameters has none', {}, limits),
  created(
    'parameters of a kind that nobody knows refuse',
    {
      spec: { paramKind: { apiVersion: 'nobody.example.com/v1', kind: 'Nothing' } },
      validations: [{ expression: 'params != null' }],
      binding: { paramRef: { name: 'gone', parameterNotFoundAction: 'Allow' } },
    },
    configMap('a'),
  ),
]

const verbs: readonly AdmissionScenario[] = [
  {
    name: 'an update is compared with what was before',
    run: async (world) => {
      await world.arrange('POST', configMaps, configMap('a', { data: { key: '1' } }))
      await arrangePolicies(world, {
        rules: [rule('configmaps', 'UPDATE')],
        validations: [
          { expression: 'object.data.key == oldObject.data.key', messageExpression: "'was ' + oldObject.data.key" },
        ],
      })
      await world.send('PATCH', `${configMaps}/a`, { data: { key: '2' } }, merge)
      await world.send('PATCH', `${configMaps}/a`, { data: { other: '2' } }, merge)
      await world.send('PUT', `${configMaps}/a`, configMap('a', { data: { key: '3' } }))
      await world.send('POST', configMaps, configMap('b', { data: { key: '2' } }))
    },
  },
  {
    name: 'a deletion is judged by what would go',
    run: async (world) => {
      for (const [name, keep] of [
        ['a', 'yes'],
        ['b', 'no'],
      ]) {
        await world.arrange('POST', configMaps, configMap(name ?? '', { data: { keep } }))
      }
      await arrangePolicies(world, {
        rules: [rule('configmaps', 'DELETE')],
        validations: [{ expression: "object == null && oldObject.data.keep != 'yes'", message: 'it is kept' }],
      })
      await world.send('DELETE', `${configMaps}/a`)
      await world.send('DELETE', `${configMaps}/b`)
    },
  },
  {
    name: 'an eviction is judged',
    run: async (world) => {
      await arrangePod(world, 'a')
      await arrangePod(world, 'b')
      await arrangePolicies(world, {
        rules: [rule('pods/eviction')],
        validations: [
          {
            expression: "object.kind == 'Eviction' && object.metadata.name == 'b'",
            messageExpression: "request.resource.resource + '/' + request.subResource + ' ' + request.kind.kind",
            reason: 'Forbidden',
          },
        ],
      })
      await world.send('POST', `${pods}/a/eviction`, eviction('a'))
      await world.send('POST', `${pods}/b/eviction`, eviction('b'))
      await world.send('GET', `${pods}/a`)
      await world.send('GET', `${pods}/b`)
    },
  },
  {
    name: 'a dry run is judged as any other',
    run: async (world) => {
      await arrangePolicies(world, { validations: [{ expression: '!request.dryRun', message: 'only in earnest' }] })
      await world.send('POST', configMaps, configMap('a'), { query: { dryRun: 'All' } })
      await world.send('POST', configMaps, configMap('a'))
    },
  },
  {
    name: 'a rule for pods does not see their status, one with a star does',
    run: async (world) => {
      await arrangePod(world, 'a')
      await arrangePod(world, 'b', { labels: { app: 'web' } })
      const only = { objectSelector: { matchLabels: { app: 'web' } } }
      await arrangePolicies(
        world,
        { name: 'NS-main', rules: [rule('pods', 'UPDATE')], validations: [never] },
        {
          name: 'NS-sub',
          rules: [rule('pods/*', 'UPDATE')],
          constraints: only,
          validations: [{ ...never, message: 'sub' }],
        },
      )
      const message = { status: { message: 'hello' } }
      await world.send('PATCH', `${pods}/a/status`, message, merge)
      await world.send('PATCH', `${pods}/b/status`, message, merge)
      await world.send('PATCH', `${pods}/a`, { metadata: { labels: { new: 'one' } } }, merge)
    },
  },
  {
    name: 'one binding warns, another refuses',
    run: async (world) => {
      const selecting = (app: string) => ({ matchResources: { objectSelector: { matchLabels: { app } } } })
      const policy = { validations: [{ ...never, message: 'no' }] }
      const warning = { ...selecting('soft'), policyName: 'NS-policy', validationActions: ['Warn'] }
      await world.arrange('POST', paths.bindings, { metadata: { name: 'NS-soft' }, spec: warning })
      await arrangePolicies(world, { ...policy, binding: selecting('hard') })
      await world.send('POST', configMaps, configMap('a', {}, { labels: { app: 'soft' } }))
      await world.send('POST', configMaps, configMap('b', {}, { labels: { app: 'hard' } }))
      await world.send('POST', configMaps, configMap('c'))
      world.observeWarnings()
    },
  },
  {
    name: 'a policy does not judge policies, and one without a binding judges nothing',
    run: async (world) => {
      await world.arrange('POST', paths.policies, policyOf({ name: 'NS-idle', validations: [never] }))
      const everything = {
        apiGroups: ['*'],
        apiVersions: ['*'],
        operations: ['*'],
        resources: ['validatingadmissionpolicies'],
      }
      const constraints = { namespaceSelector: {} }
      await arrangePolicies(world, { rules: [everything], constraints, validations: [never] })
      await world.send('POST', configMaps, configMap('a'))
      await world.send('DELETE', `${paths.policies}/NS-policy`)
    },
  },
]

const writing: readonly AdmissionScenario[] = [
  {
    name: 'expressions that do not compile are refused',
    run: async (world) => {
      const conditions = { matchConditions: [{ name: 'bad', expression: 'object.' }] }
      for (const policy of [
        { validations: [{ expression: 'object.metadata.name ==' }] },
        { validations: [{ expression: 'nobody == 1' }] },
        { validations: [{ expression: 'true', messageExpression: '(' }] },
        { validations: [{ expression: 'true' }], spec: conditions },
        { validations: [{ expression: 'true' }], spec: { variables: [{ name: 'x', expression: '1 +' }] } },
        { validations: [{ expression: 'params.x == 1' }] },
      ]) {
        await refusedAt(world, paths.policies, policyOf(policy))
      }
    },
  },
  {
    name: 'policies are checked when they are written',
    needs: 'wordsOfConfigurations',
    run: async (world) => {
      for (const policy of [
        { validations: [] },
        { validations: [{ expression: ' ' }] },
        { validations: [{ expression: 'true', message: ' ' }] },
        { validations: [{ expression: 'true', message: 'one\ntwo' }] },
        { validations: [{ expression: 'true', reason: 'Conflict' }] },
        { validations: [{ expression: 'true' }], spec: { failurePolicy: 'Never' } },
        { validations: [{ expression: 'true' }], rules: [] },
        { validations: [{ expression: 'true' }], rules: [rule('pods', 'PATCH')] },
        { validations: [{ expression: 'true' }], rules: [rule('*,pods', '*,CREATE')] },
        { validations: [{ expression: 'true' }], constraints: { matchPolicy: 'Roughly' } },
        { validations: [{ expression: 'true' }], spec: { variables: [{ name: 'a-b', expression: '1' }] } },
        { validations: [{ expression: 'true' }], spec: { matchConditions: [{ name: '', expression: 'true' }] } },
        { validations: [{ expression: 'true' }], spec: { matchConstraints: null } },
      ]) {
        await world.send('POST', paths.policies, policyOf(policy))
      }
    },
  },
  {
    name: 'bindings are checked when they are written',
    needs: 'wordsOfConfigurations',
    run: async (world) => {
      for (const binding of [
        { actions: ['Deny', 'Warn'] },
        { actions: ['Refuse'] },
        { actions: ['Warn', 'Warn'] },
        { binding: { paramRef: { name: 'a' } } },
        { binding: { paramRef: { parameterNotFoundAction: 'Deny' } } },
        { binding: { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } } },
        { binding: { matchResources: { resourceRules: [rule('pods', 'READ')] } } },
      ]) {
        await world.send('POST', paths.bindings, bindingOf({ validations: [], ...binding }))
      }
    },
  },
  {
    name: 'defaults are filled in',
    run: async (world) => {
      const policy = policyOf({ validations: [{ expression: 'true' }], constraints: { namespaceSelector: undefined } })
      const { body } = await world.arrange('POST', paths.policies, policy)
      world.observe('policy', body['spec'])
      const matchResources = { resourceRules: [rule('pods')], namespaceSelector: onlyHere }
      const binding = await world.arrange(
        'POST',
        paths.bindings,
        bindingOf({ validations: [], binding: { matchResources } }),
      )
      world.observe('binding', binding.body['spec'])
    },
  },
]

export const policyScenarios: readonly AdmissionScenario[] = [
  ...words,
  ...matching,
  ...evaluating,
  ...parameters,
  ...verbs,
  ...writing,
]
