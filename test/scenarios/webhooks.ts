import {
  arrangePod,
  arrangeWebhooks,
  configMap,
  eviction,
  merge,
  paths,
  rule,
  webhookOf,
  type AdmissionScenario,
  type AdmissionWorld,
} from './admission-world.ts'
import type { HookAnswer, ReviewRequest } from './webhook-server.ts'

// Webhooks, as a client meets them and as they are told about requests.

const { configMaps, pods } = paths
const allowed: HookAnswer = { response: { allowed: true } }

function patching(...operations: readonly object[]): HookAnswer {
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
  return { response: { allowed: true, patchType: 'JSONPatch', patch } }
}

function denying(status?: object, extra: object = {}): HookAnswer {
  return { response: { allowed: false, ...(status === undefined ? {} : { status }), ...extra } }
}

/** A validating webhook that always says the same, and one object that is created. */
function answered(name: string, answer: HookAnswer, extra: object = {}): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrangeWebhooks(world, 'validating', { client: world.hook('/answer', () => answer), extra })
      await world.send('POST', configMaps, configMap('a'))
      world.observeWarnings()
    },
  }
}

/** A mutating webhook that always says the same, and what becomes of an object. */
function mutated(name: string, answer: HookAnswer, extra: object = {}): AdmissionScenario {
  return {
    name,
    run: async (world) => {
      await arrangeWebhooks(world, 'mutating', { client: world.hook('/answer', () => answer), extra })
      await world.send('POST', configMaps, configMap('a', { data: { key: 'value' } }))
      await observeData(world, 'a')
    },
  }
}

async function observeData(world: AdmissionWorld, name: string): Promise<void> {
  const { body } = await world.read(`${configMaps}/${name}`.replaceAll('NS', world.namespace))
  const { labels } = (body['metadata'] ?? {}) as { labels?: object }
  world.observe(`data of ${name}`, { data: body['data'], labels })
}

/** Adds a letter to what others have written before. */
const appending = (letter: string) => (request: ReviewRequest) => {
  const { data = {} } = request['object'] as { data?: { trace?: string } }
  return patching({ op: 'add', path: '/data/trace', value: `${data.trace ?? ''}${letter}` })
}

const withTrace = (name: string) => configMap(name, { data: { trace: '' } })

const refusing: readonly AdmissionScenario[] = [
  answered('a refusal has the message of the webhook', denying({ message: 'not today' })),
  answered(
    'a refusal has the code and reason of the webhook',
    denying({ code: 403, reason: 'Forbidden', message: 'no' }),
  ),
  answered('a refusal without a message has the reason', denying({ code: 409, reason: 'Conflict' })),
  answered('a refusal without anything says so', denying()),
  answered('a refusal is never a success', denying({ code: 200, status: 'Success', message: 'fine' })),
  answered(
    'a refusal has the details of the webhook',
    denying({
      code: 422,
      reason: 'Invalid',
      message: 'two things',
      details: { kind: 'thing', causes: [{ field: 'data', reason: 'FieldValueInvalid', message: 'is bad' }] },
    }),
  ),
  answered('a webhook warns', { response: { allowed: true, warnings: ['careful', 'careful', 'really'] } }),
  answered('a validating webhook must not patch', patching({ op: 'add', path: '/data', value: {} })),
  answered('an answer to another question is none', { response: { uid: 'other', allowed: true } }),
  answered('a webhook that is out of order refuses', { httpStatus: 500 }),
  answered('a webhook that is not there refuses', { httpStatus: 404 }),
  answered('a webhook that is out of order is ignored', { httpStatus: 500 }, { failurePolicy: 'Ignore' }),
  answered('a refusal is not a failure', denying({ message: 'no' }), { failurePolicy: 'Ignore' }),
  {
    name: 'an eviction is put off',
    run: async (world) => {
      await arrangePod(world, 'a')
      const status = {
        code: 429,
        reason: 'TooManyRequests',
        message: 'Eviction triggered evacuation',
        details: { retryAfterSeconds: 7, causes: [{ reason: 'Evacuation', message: 'on its way' }] },
      }
      const seen: unknown[] = []
      const client = world.hook('/eviction', (request) => {
        seen.push(shortened(request))
        return denying(status)
      })
      await arrangeWebhooks(world, 'validating', { rules: [rule('pods/eviction')], client })
      await world.send('POST', `${pods}/a/eviction`, eviction('a'))
      await world.send('GET', `${pods}/a`)
      world.observe('reviews', seen)
    },
  },
]

const changing: readonly AdmissionScenario[] = [
  mutated(
    'a patch changes the object',
    patching(
      { op: 'add', path: '/metadata/labels', value: { patched: 'yes' } },
      { op: 'replace', path: '/data/key', value: 'other' },
    ),
  ),
  mutated('a mutating webhook refuses', denying({ message: 'no' })),
  mutated('a patch without its type is none', { response: { allowed: true, patch: 'W10=' } }),
  mutated('a type without a patch is none', { response: { allowed: true, patchType: 'JSONPatch' } }),
  mutated('an empty patch changes nothing', { response: { allowed: true, patchType: 'JSONPatch', patch: 'W10=' } }),
  {
    name: 'what a patch makes of the object is validated',
    run: async (world) => {
      const client = world.hook('/bad', () => patching({ op: 'remove', path: '/spec/containers/0' }))
      await arrangeWebhooks(world, 'mutating', { rules: [rule('pods')], client })
      const spec = { containers: [{ name: 'main', image: 'web:1' }] }
      await world.send('POST', pods, { metadata: { name: 'a', namespace: 'NS' }, spec })
    },
  },
  {
    name: 'webhooks change an object in the order of their configurations, each what the one before made',
    run: async (world) => {
      await arrangeWebhooks(
        world,
        'mutating',
        { name: 'b', client: world.hook('/b', appending('b')) },
        { name: 'a', client: world.hook('/a', appending('a')) },
      )
      await world.send('POST', configMaps, withTrace('a'))
      await observeData(world, 'a')
    },
  },
  {
    name: 'a webhook is asked again if a later one changed something',
    run: async (world) => {
      const again = { reinvocationPolicy: 'IfNeeded' }
      await arrangeWebhooks(
        world,
        'mutating',
        { name: 'a', client: world.hook('/a', appending('a')), extra: again },
        { name: 'b', client: world.hook('/b', appending('b')) },
        { name: 'c', client: world.hook('/c', appending('c')), extra: again },
        { name: 'd', client: world.hook('/d', () => allowed), extra: again },
      )
      await world.send('POST', configMaps, withTrace('a'))
      await observeData(world, 'a')
    },
  },
  {
    name: 'a deletion cannot be changed',
    run: async (world) => {
      await world.arrange('POST', configMaps, configMap('a'))
      const client = world.hook('/delete', () => patching({ op: 'add', path: '/data', value: {} }))
      await arrangeWebhooks(world, 'mutating', { rules: [rule('configmaps', 'DELETE')], client })
      await world.send('DELETE', `${configMaps}/a`)
    },
  },
]

const failing: readonly AdmissionScenario[] = [
  ...(['Fail', 'Ignore'] as const).map((failurePolicy) => ({
    name: `nobody listens: ${failurePolicy}`,
    run: async (world: AdmissionWorld) => {
      const { caBundle } = world.hook('/down', () => allowed)
      const client = { url: 'https://127.0.0.1:1/down', caBundle }
      await arrangeWebhooks(world, 'validating', { client, extra: { failurePolicy, timeoutSeconds: 3 } })
      await arrangeWebhooks(world, 'mutating', { name: 'two', client, extra: { failurePolicy } })
      await world.send('POST', configMaps, configMap('a'))
    },
  })),
  ...(['Fail', 'Ignore'] as const).map((failurePolicy) => ({
    name: `a webhook takes too long: ${failurePolicy}`,
    run: async (world: AdmissionWorld) => {
      const client = world.hook('/slow', () => new Promise<HookAnswer>(() => {}))
      await arrangeWebhooks(world, 'validating', { client, extra: { failurePolicy, timeoutSeconds: 1 } })
      const { status, body } = await world.attempt('POST', configMaps, configMap('a'))
      // The port is the test's own, and the same on both grounds.
      world.observe('answer', { status, reason: body['reason'], message: body['message'] })
    },
  })),
  {
    name: 'a webhook with another authority is not trusted',
    run: async (world) => {
      const { url } = world.hook('/other', () => allowed)
      await arrangeWebhooks(world, 'validating', { client: { url } })
      await world.send('POST', configMaps, configMap('a'))
    },
  },
]

const selecting: readonly AdmissionScenario[] = [
  answered('a match condition exempts a group', denying(), {
    matchConditions: [{ name: 'no-masters', expression: "!('system:masters' in request.userInfo.groups)" }],
  }),
  answered('a match condition that fails refuses', denying(), {
    matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
  }),
  answered('a match condition that fails is ignored where failures are', denying(), {
    failurePolicy: 'Ignore',
    matchConditions: [{ name: 'bad', expression: "object.data.missing == 'x'" }],
  }),
  answered('another namespace is not selected', denying(), { namespaceSelector: { matchLabels: { nobody: 'has' } } }),
  {
    name: 'an object selector looks at the old and the new object',
    run: async (world) => {
      await world.arrange('POST', configMaps, configMap('a', {}, { labels: { app: 'web' } }))
      const extra = { objectSelector: { matchLabels: { app: 'web' } } }
      const client = world.hook('/labels', () => denying({ message: 'it is labelled' }))
      await arrangeWebhooks(world, 'validating', { rules: [rule('configmaps', '*')], client, extra })
      await world.send('PATCH', `${configMaps}/a`, { metadata: { labels: { app: null } } }, merge)
      await world.send('POST', configMaps, configMap('b'))
      await world.send('PATCH', `${configMaps}/b`, { metadata: { labels: { app: 'web' } } }, merge)
      await world.send('DELETE', `${configMaps}/a`)
      await world.send('DELETE', `${configMaps}/b`)
    },
  },
  {
    name: 'webhooks do not judge what configures admission',
    run: async (world) => {
      const rules = [
        { apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
      ]
      const client = world.hook('/all', () => denying())
      await arrangeWebhooks(world, 'validating', { rules, client, extra: { namespaceSelector: {} } })
      await world.send('DELETE', `${paths.validating}/NS-one`)
    },
  },
]

/** Of a review what does not differ between clusters. */
function shortened(request: ReviewRequest): object {
  const { kind, resource, subResource, requestKind, requestResource, requestSubResource } = request
  const { name, namespace, operation, dryRun, options, object, oldObject } = request
  const { groups } = request['userInfo'] as { groups?: readonly string[] }
  const { kind: optionsKind, dryRun: optionsDryRun } = options as { kind?: string; dryRun?: unknown }
  return {
    kind,
    resource,
    subResource,
    requestKind,
    requestResource,
    requestSubResource,
    name,
    namespace,
    operation,
    dryRun,
    optionsKind,
    optionsDryRun,
    isMaster: groups?.includes('system:masters'),
    object: partOf(object),
    // Of an update it depends on what the client sent.
    hasUid: operation === 'CREATE' && (object as { metadata: { uid?: string } }).metadata.uid !== undefined,
    oldObject: partOf(oldObject),
  }
}

function partOf(object: unknown): unknown {
  if (object === null) return null
  const { apiVersion, kind, metadata, data } = object as Record<string, unknown>
  const { name, namespace, labels } = metadata as Record<string, unknown>
  return { apiVersion, kind, name, namespace, labels, data }
}

const reviewing: readonly AdmissionScenario[] = (['mutating', 'validating'] as const).map((kind) => ({
  name: `a ${kind} webhook is told all about a request`,
  run: async (world: AdmissionWorld) => {
    const seen: unknown[] = []
    const client = world.hook('/all', (request) => {
      seen.push(shortened(request))
      return allowed
    })
    await arrangePod(world, 'a')
    const rules = [rule('configmaps,pods/status,pods/eviction', '*')]
    await arrangeWebhooks(world, kind, { rules, client, extra: { sideEffects: 'NoneOnDryRun' } })
    await world.send('POST', configMaps, configMap('a', { data: { key: 'value' } }))
    await world.send('POST', configMaps, { metadata: { generateName: 'made-up-' } })
    await world.send('PATCH', `${configMaps}/a`, { data: { key: 'other' } }, merge)
    await world.send('PUT', `${configMaps}/a`, configMap('a', { data: { key: 'third' } }), { query: { dryRun: 'All' } })
    await world.send('PATCH', `${pods}/a/status`, { status: { message: 'hello' } }, merge)
    await world.send('POST', `${pods}/a/eviction`, eviction('a'), { query: { dryRun: 'All' } })
    await world.send('DELETE', `${configMaps}/a`, { gracePeriodSeconds: 0 })
    world.observe('reviews', withoutGeneratedNames(seen))
  },
}))

function withoutGeneratedNames(reviews: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(reviews).replaceAll(/made-up-[a-z0-9]{5}/g, 'made-up-GENERATED')) as unknown
}

const writing: readonly AdmissionScenario[] = [
  {
    name: 'configurations are checked when they are written',
    needs: 'wordsOfConfigurations',
    run: async (world) => {
      const client = { url: 'https://127.0.0.1:1/x' }
      for (const webhook of [
        webhookOf({ client, extra: { sideEffects: 'Some' } }),
        webhookOf({ client, extra: { sideEffects: undefined } }),
        webhookOf({ client, extra: { name: 'short' } }),
        webhookOf({ client, extra: { timeoutSeconds: 31 } }),
        webhookOf({ client, extra: { admissionReviewVersions: [] } }),
        webhookOf({ client, extra: { admissionReviewVersions: ['v3'] } }),
        webhookOf({ client, extra: { failurePolicy: 'Perhaps' } }),
        webhookOf({ client, extra: { reinvocationPolicy: 'Always' } }),
        webhookOf({ client, rules: [rule('', '')] }),
        webhookOf({ client: {} }),
        webhookOf({ client: { url: 'http://127.0.0.1:1/x?a=b' } }),
        webhookOf({ client: { service: { name: 'web' } } }),
        ...['x', '//', '/a//b', '/a/', '/x_y', '/reviews/aB3/x'].map((path) =>
          webhookOf({ client: { service: { name: 'web', namespace: 'NS', path } }, extra: { name: 'bad' } }),
        ),
      ]) {
        await world.send('POST', paths.mutating, { metadata: { name: 'NS-bad' }, webhooks: [webhook] })
      }
      const twice = [webhookOf({ client }), webhookOf({ client })]
      await world.send('POST', paths.validating, { metadata: { name: 'NS-bad' }, webhooks: twice })
    },
  },
  {
    name: 'defaults of webhooks are filled in',
    // By default a webhook is asked about every namespace.
    ownCluster: true,
    run: async (world) => {
      const client = { service: { name: 'web', namespace: 'NS' } }
      for (const path of [paths.mutating, paths.validating]) {
        const webhooks = [webhookOf({ client, extra: { namespaceSelector: undefined } })]
        const { body } = await world.arrange('POST', path, { metadata: { name: 'NS-defaults' }, webhooks })
        world.observe('webhooks', body['webhooks'])
        await world.arrange('DELETE', `${path}/NS-defaults`)
      }
    },
  },
]

export const webhookScenarios: readonly AdmissionScenario[] = [
  ...refusing,
  ...changing,
  ...failing,
  ...selecting,
  ...reviewing,
  ...writing,
]
