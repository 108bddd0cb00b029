import {
  arrangePolicies,
  arrangeWebhooks,
  configMap,
  paths,
  policyOf,
  refusedAt,
  type AdmissionScenario,
  type AdmissionWorld,
} from './admission-world.ts'

// CEL's `authorizer` in policies and in the match conditions of webhooks, as a client meets it.

const { configMaps } = paths
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const pods = (verbs: readonly string[], more: Partial<Rule> = {}): Rule => ({
  apiGroups: [''],
  resources: ['pods'],
  verbs,
  ...more,
})

/** All of them write ConfigMaps. Joe may do nothing else, Kim may delete the pod `web`, Ann every pod. */
const users: Readonly<Record<string, readonly Rule[]>> = {
  joe: [],
  kim: [pods(['delete'], { resourceNames: ['web'] })],
  ann: [pods(['delete']), pods(['create'], { resources: ['pods/eviction'] })],
}

async function arrangeUsers(world: AdmissionWorld): Promise<void> {
  const configMapsToo = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'create'] }
  for (const [name, rules] of Object.entries(users)) {
    await arrangeRole(world, name, [configMapsToo, ...rules], { ...roleRef('User', name) })
  }
  await arrangeRole(world, 'robot', [pods(['delete'])], { kind: 'ServiceAccount', name: 'robot', namespace: 'NS' })
  for (const as of Object.keys(users)) {
    await world.eventually(
      `the rights of ${as} are in effect`,
      () => world.attempt('GET', configMaps, undefined, { as }),
      ({ status }) => status === 200,
    )
  }
}

async function arrangeRole(world: AdmissionWorld, name: string, rules: readonly Rule[], subject: object) {
  const inNamespace = `${rbac}/namespaces/NS`
  await world.arrange('POST', `${inNamespace}/roles`, { metadata: { name }, rules })
  await world.arrange('POST', `${inNamespace}/rolebindings`, {
    metadata: { name },
    roleRef: roleRef('Role', name),
    subjects: [subject],
  })
}

/** May read nodes, by which the scenario sees that the role is in effect, and one path. */
async function arrangeReader(world: AdmissionWorld): Promise<void> {
  const [name, as] = ['NS-reader', 'joe']
  await world.arrange('POST', `${rbac}/clusterroles`, {
    metadata: { name },
    rules: [
      { nonResourceURLs: ['/harbour', '/quay/*'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
    ],
  })
  await world.arrange('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: roleRef('ClusterRole', name),
    subjects: [roleRef('User', as)],
  })
  await world.eventually(
    'the cluster role is in effect',
    () => world.attempt('GET', '/api/v1/nodes', undefined, { as }),
    ({ status }) => status === 200,
  )
}

/** Each expression is evaluated for each user: what it says shows in whether a ConfigMap may be created. */
function asked(
  name: string,
  expressions: readonly string[],
  who: readonly string[] = Object.keys(users),
  arrange: (world: AdmissionWorld) => Promise<void> = async () => {},
): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrangeUsers(world)
      await arrange(world)
      const validations = expressions.map((expression, at) => ({
        expression: `object.metadata.name != 'row-${at}' || (${expression})`,
        message: `row ${at} is false`,
      }))
      await arrangePolicies(world, { validations })
      for (const as of who) {
        for (const [at] of expressions.entries())
          await world.send('POST', configMaps, configMap(`row-${at}`), { as, query: { dryRun: 'All' } })
      }
    },
  }
}

const podCheck = "authorizer.group('').resource('pods')"
const mayDelete = `${podCheck}.namespace(request.namespace).check('delete').allowed()`

const answers: readonly AdmissionScenario[] = [
  asked('the right to delete pods is found where it holds', [
    mayDelete,
    `!${mayDelete}`,
    `${podCheck}.check('delete').allowed()`,
    `${podCheck}.namespace('').check('delete').allowed()`,
    `${podCheck}.namespace('default').check('delete').allowed()`,
    `${podCheck}.namespace(request.namespace).check('patch').allowed()`,
    "authorizer.group('apps').resource('pods').namespace(request.namespace).check('delete').allowed()",
    "authorizer.group('').resource('nodes').namespace(request.namespace).check('delete').allowed()",
  ]),
  asked('a right to one name is not one to others', [
    `${podCheck}.namespace(request.namespace).name('web').check('delete').allowed()`,
    `${podCheck}.namespace(request.namespace).name('other').check('delete').allowed()`,
    `${podCheck}.namespace(request.namespace).name('').check('delete').allowed()`,
  ]),
  asked('a subresource has rights of its own', [
    `${podCheck}.namespace(request.namespace).subresource('eviction').check('create').allowed()`,
    `${podCheck}.namespace(request.namespace).check('create').allowed()`,
    `${podCheck}.namespace(request.namespace).subresource('').check('delete').allowed()`,
  ]),
  asked('the request itself can be asked about', [
    "authorizer.requestResource.check('create').allowed()",
    "authorizer.requestResource.check('delete').allowed()",
    "authorizer.requestResource.subresource('status').check('create').allowed()",
    "authorizer.requestResource.namespace('default').check('create').allowed()",
  ]),
  asked('the rights of a service account can be asked for', [
    `authorizer.serviceAccount(request.namespace, 'robot').group('').resource('pods').namespace(request.namespace).check('delete').allowed()`,
    `authorizer.serviceAccount(request.namespace, 'other').group('').resource('pods').namespace(request.namespace).check('delete').allowed()`,
    `authorizer.serviceAccount('default', 'robot').group('').resource('pods').namespace(request.namespace).check('delete').allowed()`,
    "authorizer.serviceAccount(request.namespace, 'robot').path('/version').check('get').allowed()",
  ]),
  asked(
    'paths can be asked for',
    ['/harbour', 'harbour', '/harbour/', '/quay/north', '/quay', '/wharf'].flatMap((path) => [
      `authorizer.path('${path}').check('get').allowed()`,
      `authorizer.path('${path}').check('post').allowed()`,
    ]),
    ['joe', 'ann'],
    arrangeReader,
  ),
  asked('a decision has a reason and no error', [
    `${podCheck}.namespace(request.namespace).check('delete').reason() == ''`,
    `${podCheck}.namespace(request.namespace).check('delete').reason() == 'RBAC: allowed by RoleBinding "ann/' + request.namespace + '" of Role "ann" to User "ann"'`,
    `${podCheck}.check('delete').errored()`,
    `${podCheck}.check('delete').error() == ''`,
  ]),
  {
    name: 'an administrator may do everything',
    run: async (world) => {
      await arrangePolicies(world, { validations: [{ expression: mayDelete, message: 'no' }] })
      await world.send('POST', configMaps, configMap('a'))
    },
  },
]

const failures: readonly AdmissionScenario[] = [
  asked(
    'what cannot be asked for is an error',
    [
      "authorizer.path(' ').check('get').allowed()",
      "authorizer.group('').resource('').check('get').allowed()",
      "authorizer.serviceAccount('not@valid', 'robot').path('/x').check('get').allowed()",
      "authorizer.serviceAccount('not.a.label', 'robot').path('/x').check('get').allowed()",
      "authorizer.serviceAccount('default', 'not@valid').path('/x').check('get').allowed()",
      `${podCheck}.name(object.data.missing).check('get').allowed()`,
      `${podCheck}.name(object.metadata.name == '' ? '' : object.data).check('get').allowed()`,
    ],
    ['joe'],
  ),
  asked(
    'one expression has room for two checks',
    [`${mayDelete} && ${mayDelete}`, `${mayDelete} && ${mayDelete} && ${mayDelete}`],
    ['ann'],
  ),
]

const places: readonly AdmissionScenario[] = [
  {
    name: 'a variable may ask for rights, but what words the refusal may not',
    run: async (world) => {
      await arrangeUsers(world)
      await arrangePolicies(world, {
        spec: {
          variables: [
            { name: 'check', expression: `${podCheck}.namespace(request.namespace)` },
            { name: 'may', expression: "variables.check.name('web').check('delete').allowed()" },
            { name: 'who', expression: 'request.userInfo.username' },
          ],
        },
        validations: [
          {
            expression: 'variables.may',
            message: 'may not delete the pod',
            messageExpression: "variables.who + (variables.may ? ' may' : ' may not') + ' delete it'",
          },
          {
            expression: "variables.check.check('create').allowed() || !has(object.data)",
            message: 'may not create a pod',
            messageExpression: "variables.who + ' may not create one'",
          },
        ],
      })
      for (const as of Object.keys(users)) {
        await world.send('POST', configMaps, configMap(`without-${as}`), { as })
        await world.send('POST', configMaps, configMap(`with-${as}`, { data: { key: 'value' } }), { as })
      }
    },
  },
  {
    name: 'a match condition of a policy may ask for rights',
    run: async (world) => {
      await arrangeUsers(world)
      await arrangePolicies(world, {
        spec: { matchConditions: [{ name: 'may-not-delete', expression: `!${mayDelete}` }] },
        validations: [{ expression: 'false', message: 'not for those' }],
      })
      for (const as of Object.keys(users)) await world.send('POST', configMaps, configMap(as), { as })
    },
  },
  ...(['mutating', 'validating'] as const).map((kind) => ({
    name: `a match condition of a ${kind} webhook may ask for rights`,
    run: async (world: AdmissionWorld) => {
      await arrangeUsers(world)
      const client = world.hook('/one', () => ({ response: { allowed: false, status: { message: 'not for those' } } }))
      const conditions = [
        { name: 'may-not-delete', expression: `!${mayDelete}` },
        { name: 'may-create', expression: "authorizer.requestResource.check('create').allowed()" },
      ]
      await arrangeWebhooks(world, kind, { client, extra: { matchConditions: conditions } })
      for (const as of Object.keys(users)) await world.send('POST', configMaps, configMap(as), { as })
    },
  })),
]

const writing: readonly AdmissionScenario[] = [
  {
    name: 'what the authorizer does not know is refused when it is written',
    run: async (world) => {
      for (const expression of [
        "authorizer.unheardOf('x')",
        'authorizer.user == null',
        "authorizer.check('get').allowed()",
        "authorizer.group('').check('get').allowed()",
        `${podCheck}.check('get')`,
        `${podCheck}.check('get').denied()`,
        `${podCheck}.check(1).allowed()`,
        `${podCheck}.check().allowed()`,
        "authorizer.serviceAccount('default').path('/x').check('get').allowed()",
        'authorizer.requestResource',
        "'text'",
        '1 + 1',
      ]) {
        await refusedAt(world, paths.policies, policyOf({ validations: [{ expression }] }))
        const conditions = { matchConditions: [{ name: 'bad', expression }] }
        const validations = [{ expression: 'true' }]
        await refusedAt(world, paths.policies, policyOf({ validations, spec: conditions }))
      }
    },
  },
  {
    name: 'the wording of a refusal has no authorizer, and is a text',
    run: async (world) => {
      for (const messageExpression of [`string(${mayDelete})`, `${podCheck}.check('get').reason()`, '1 + 1']) {
        const validations = [{ expression: 'true', messageExpression }]
        await refusedAt(world, paths.policies, policyOf({ validations }))
      }
    },
  },
]

export const authorizerScenarios: readonly AdmissionScenario[] = [...answers, ...failures, ...places, ...writing]
