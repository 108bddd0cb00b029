import type { Scenario, World } from './scenario.ts'

// Creating, changing, deleting, listing and watching, on an API server by itself.

const maps = '/api/v1/namespaces/NS/configmaps'
const pods = '/api/v1/namespaces/NS/pods'
const deployments = '/apis/apps/v1/namespaces/NS/deployments'
const budgets = '/apis/policy/v1/namespaces/NS/poddisruptionbudgets'
const merge = { contentType: 'application/merge-patch+json' }

const map = (name: string, extra: object = {}) => ({ metadata: { name, namespace: 'NS', ...extra }, data: { x: '1' } })
const pod = (name: string, spec: object = {}, extra: object = {}) => ({
  metadata: { name, namespace: 'NS', ...extra },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
})
const deployment = (spec: object = {}) => ({
  metadata: { name: 'web', namespace: 'NS' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
    ...spec,
  },
})

/** What is there afterwards, as far as clusters can agree on it. */
async function look(world: World, path: string): Promise<Record<string, unknown>> {
  const { body } = await world.send('GET', path)
  const { metadata, spec, status, data } = body
  world.observe(`what is at ${path}`, { metadata, spec, status, data })
  return body
}

const versionOf = (body: Record<string, unknown>) =>
  String((body['metadata'] as Record<string, unknown>)['resourceVersion'])

/** Bodies that the server refuses, each with its own words. */
const refusedCreations: readonly {
  name: string
  path: string
  body: unknown
  query?: Readonly<Record<string, string>>
}[] = [
  { name: 'without a name', path: maps, body: { metadata: { namespace: 'NS' } } },
  { name: 'with a name in capitals', path: maps, body: map('Cart') },
  { name: 'with a resourceVersion', path: maps, body: map('a', { resourceVersion: '5' }) },
  { name: 'for another namespace', path: maps, body: map('a', { namespace: 'elsewhere' }) },
  { name: 'of another version', path: maps, body: { apiVersion: 'v2', kind: 'ConfigMap', ...map('a') } },
  {
    name: 'in a namespace that is not there',
    path: '/api/v1/namespaces/nowhere/configmaps',
    body: { metadata: { name: 'a' } },
  },
  {
    name: 'a pod without containers',
    path: pods,
    body: { metadata: { name: 'a', namespace: 'NS' }, spec: { containers: [] } },
  },
  { name: 'a pod without an image', path: pods, body: pod('a', { containers: [{ name: 'main' }] }) },
  { name: 'a pod of an unknown priority class', path: pods, body: pod('a', { priorityClassName: 'none' }) },
  {
    name: 'a deployment whose selector does not match',
    path: deployments,
    body: deployment({ selector: { matchLabels: { app: 'other' } } }),
  },
  { name: 'a deployment without a selector', path: deployments, body: deployment({ selector: undefined }) },
  { name: 'a deployment of -1 replicas', path: deployments, body: deployment({ replicas: -1 }) },
  {
    name: 'a budget with both numbers',
    path: budgets,
    body: { metadata: { name: 'a', namespace: 'NS' }, spec: { minAvailable: 1, maxUnavailable: 1 } },
  },
  {
    name: 'a budget of -1',
    path: budgets,
    body: { metadata: { name: 'a', namespace: 'NS' }, spec: { minAvailable: -1 } },
  },
  {
    name: 'a budget of an unknown policy',
    path: budgets,
    body: {
      metadata: { name: 'a', namespace: 'NS' },
      spec: { minAvailable: 1, unhealthyPodEvictionPolicy: 'Sometimes' },
    },
  },
  { name: 'a dry run of an unknown kind', path: maps, body: map('a'), query: { dryRun: 'Some' } },
]

const creations: readonly Scenario[] = [
  ...refusedCreations.map(({ name, path, body, query }) => ({
    name: `create refuses: ${name}`,
    run: async (world: World) => void (await world.send('POST', path, body, query === undefined ? {} : { query })),
  })),
  {
    name: 'create: a pod gets its defaults',
    run: async (world) => {
      await world.send('POST', pods, pod('a'))
      await look(world, `${pods}/a`)
    },
  },
  {
    name: 'create: a deployment gets its defaults',
    run: async (world) => {
      await world.send('POST', deployments, deployment())
      await look(world, `${deployments}/web`)
    },
  },
  {
    name: 'create: half a strategy is completed',
    run: async (world) => {
      await world.send('POST', deployments, deployment({ strategy: { rollingUpdate: { maxSurge: 0 } } }))
      await look(world, `${deployments}/web`)
    },
  },
  {
    name: 'create: a budget begins with nothing allowed',
    run: async (world) => {
      await world.send('POST', budgets, { metadata: { name: 'a', namespace: 'NS' }, spec: { minAvailable: 1 } })
      await look(world, `${budgets}/a`)
    },
  },
  {
    name: 'create: twice',
    run: async (world) => {
      await world.send('POST', maps, map('a'))
      await world.send('POST', maps, map('a'))
    },
  },
  {
    name: 'create: a dry run leaves nothing',
    run: async (world) => {
      await world.send('POST', maps, map('a'), { query: { dryRun: 'All' } })
      await world.send('GET', `${maps}/a`)
    },
  },
  {
    name: 'create: what only the server sets is set by the server',
    run: async (world) => {
      await world.send('POST', pods, {
        ...pod('a', {}, { generation: 9, deletionTimestamp: '2026-01-01T00:00:00Z' }),
        status: { phase: 'Failed' },
      })
      await look(world, `${pods}/a`)
    },
  },
]

const changes: readonly Scenario[] = [
  {
    name: 'update: on an old version',
    run: async (world) => {
      const { body } = await world.arrange('POST', maps, map('a'))
      await world.arrange('PATCH', `${maps}/a`, { data: { x: '2' } }, merge)
      await world.send('PUT', `${maps}/a`, body)
    },
  },
  {
    name: 'update: without a version',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('PUT', `${maps}/a`, { ...map('a'), data: { y: '2' } })
      await look(world, `${maps}/a`)
    },
  },
  {
    name: 'update: another name',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('PUT', `${maps}/a`, map('b'))
    },
  },
  {
    name: 'update: another UID',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('PUT', `${maps}/a`, map('a', { uid: '00000000-0000-4000-8000-000000000000' }))
    },
  },
  { name: 'update: of what is not there', run: async (world) => void (await world.send('PUT', `${maps}/a`, map('a'))) },
  {
    name: 'update: of nothing makes no new version',
    run: async (world) => {
      const { body } = await world.arrange('POST', maps, map('a'))
      const after = await world.send('PUT', `${maps}/a`, body)
      world.observe('same version', versionOf(after.body) === versionOf(body))
    },
  },
  {
    name: 'update: the generation counts changes of the spec',
    run: async (world) => {
      await world.arrange('POST', deployments, deployment())
      await world.send('PUT', `${deployments}/web`, deployment({ replicas: 3 }))
      await world.arrange('PATCH', `${deployments}/web`, { metadata: { labels: { a: 'b' } } }, merge)
      await look(world, `${deployments}/web`)
    },
  },
  {
    name: 'update: a selector may not change',
    run: async (world) => {
      await world.arrange('POST', deployments, deployment())
      await world.send(
        'PATCH',
        `${deployments}/web`,
        { spec: { selector: { matchLabels: { app: 'other' } }, template: { metadata: { labels: { app: 'other' } } } } },
        merge,
      )
    },
  },
  {
    name: 'scale: read, change, refuse',
    run: async (world) => {
      await world.arrange('POST', deployments, deployment())
      const { body } = await world.send('GET', `${deployments}/web/scale`)
      world.observe('scale', { spec: body['spec'], status: body['status'] })
      await world.send('PATCH', `${deployments}/web/scale`, { spec: { replicas: 4 } }, merge)
      await look(world, `${deployments}/web`)
    },
  },
]

const deletions: readonly Scenario[] = [
  {
    name: 'delete: a dry run in the query is overlooked beside options in the body',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('DELETE', `${maps}/a`, { gracePeriodSeconds: 0 }, { query: { dryRun: 'All' } })
      await world.send('GET', `${maps}/a`)
    },
  },
  {
    name: 'delete: a dry run in the body',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('DELETE', `${maps}/a`, { dryRun: ['All'] })
      await world.send('GET', `${maps}/a`)
    },
  },
  { name: 'delete: what is not there', run: async (world) => void (await world.send('DELETE', `${maps}/a`)) },
  {
    name: 'delete: with another UID',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('DELETE', `${maps}/a`, { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } })
      await world.send('GET', `${maps}/a`)
    },
  },
  {
    name: 'delete: with another version',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('DELETE', `${maps}/a`, { preconditions: { resourceVersion: '1' } })
    },
  },
  {
    name: 'delete: a finalizer holds it until it is taken away',
    run: async (world) => {
      await world.arrange('POST', maps, map('a', { finalizers: ['example.com/hold'] }))
      await world.send('DELETE', `${maps}/a`)
      await look(world, `${maps}/a`)
      await world.send('PATCH', `${maps}/a`, { metadata: { finalizers: null } }, merge)
      await world.send('GET', `${maps}/a`)
    },
  },
  {
    name: 'delete: twice, while a finalizer holds it',
    run: async (world) => {
      await world.arrange('POST', maps, map('a', { finalizers: ['example.com/hold'] }))
      await world.send('DELETE', `${maps}/a`)
      await world.send('DELETE', `${maps}/a`)
      await look(world, `${maps}/a`)
    },
  },
  {
    name: 'delete: in the foreground adds a finalizer',
    run: async (world) => {
      await world.arrange('POST', deployments, deployment())
      await world.send('DELETE', `${deployments}/web`, { propagationPolicy: 'Foreground' })
      await look(world, `${deployments}/web`)
    },
  },
  {
    name: 'delete: as an orphan adds a finalizer',
    run: async (world) => {
      await world.arrange('POST', deployments, deployment())
      await world.send('DELETE', `${deployments}/web`, { propagationPolicy: 'Orphan' })
      await look(world, `${deployments}/web`)
    },
  },
  {
    name: 'delete: a pod that runs is marked',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a', { nodeName: 'one' }))
      await world.send('DELETE', `${pods}/a`)
      const { metadata } = (await world.send('GET', `${pods}/a`)).body as { metadata: Record<string, unknown> }
      world.observe('grace', metadata['deletionGracePeriodSeconds'])
    },
  },
  {
    name: 'delete: a second time with less grace',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a', { nodeName: 'one' }))
      await world.arrange('DELETE', `${pods}/a`)
      await world.send('DELETE', `${pods}/a`, { gracePeriodSeconds: 5 })
      const { metadata } = (await world.send('GET', `${pods}/a`)).body as { metadata: Record<string, unknown> }
      world.observe('grace', metadata['deletionGracePeriodSeconds'])
    },
  },
  {
    name: 'delete: a pod that was never bound goes at once',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a'))
      await world.send('DELETE', `${pods}/a`)
      await world.send('GET', `${pods}/a`)
    },
  },
  {
    name: 'delete: a pod without grace goes at once',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a', { nodeName: 'one' }))
      await world.send('DELETE', `${pods}/a`, { gracePeriodSeconds: 0 })
      await world.send('GET', `${pods}/a`)
    },
  },
  {
    name: 'delete: a dry run',
    run: async (world) => {
      await world.arrange('POST', maps, map('a'))
      await world.send('DELETE', `${maps}/a`, undefined, { query: { dryRun: 'All' } })
      await world.send('GET', `${maps}/a`)
    },
  },
  {
    name: 'bind: once',
    run: async (world) => {
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a', namespace: 'NS' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'one' },
      }
      await world.arrange('POST', pods, pod('a'))
      await world.send('POST', `${pods}/a/binding`, body)
      await world.send('POST', `${pods}/a/binding`, body)
      await look(world, `${pods}/a`)
    },
  },
  {
    name: 'bind: not through a gate',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a', { schedulingGates: [{ name: 'example.com/hold' }] }))
      await world.send('POST', `${pods}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a', namespace: 'NS' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'one' },
      })
    },
  },
  {
    name: 'gates: can be taken away and not added',
    run: async (world) => {
      await world.arrange('POST', pods, pod('a', { schedulingGates: [{ name: 'example.com/hold' }] }))
      await world.send('PATCH', `${pods}/a`, { spec: { schedulingGates: [{ name: 'example.com/other' }] } }, merge)
      await world.send('PATCH', `${pods}/a`, { spec: { schedulingGates: null } }, merge)
      await look(world, `${pods}/a`)
    },
  },
]

async function fill(world: World): Promise<string> {
  let version = ''
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const { body } = await world.arrange(
      'POST',
      maps,
      map(name, { labels: { parity: 'bd'.includes(name) ? 'even' : 'odd' } }),
    )
    if (name === 'b') version = versionOf(body)
  }
  return version
}

const namesOf = (body: Record<string, unknown>) =>
  (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)

const reads: readonly Scenario[] = [
  {
    name: 'watch: from a version that is too old gets 410, and a list anew goes on',
    ownCluster: true,
    run: async (world) => {
      await fill(world)
      await world.forget()
      const [first] = await world.watch(maps, { resourceVersion: '2' }, 1)
      world.observe('code', first?.object['code'])
      const { body } = await world.read(maps)
      await world.arrange('DELETE', `${maps}/c`)
      await world.watch(maps, { resourceVersion: versionOf(body) }, 1)
    },
  },
  ...[
    'parity=even',
    'parity!=even',
    'parity in (even, other)',
    'parity notin (even)',
    '!parity',
    'parity',
    'bad selector here',
  ].map((labelSelector) => ({
    name: `list: by labels ${labelSelector}`,
    run: async (world: World) => {
      await fill(world)
      const { status, body } = await world.send('GET', maps, undefined, { query: { labelSelector } })
      if (status === 200) world.observe('names', namesOf(body))
    },
  })),
  ...['metadata.name=c', 'metadata.name!=c', 'spec.color=red'].map((fieldSelector) => ({
    name: `list: by fields ${fieldSelector}`,
    run: async (world: World) => {
      await fill(world)
      const { status, body } = await world.send('GET', maps, undefined, { query: { fieldSelector } })
      if (status === 200)
        world.observe(
          'names',
          namesOf(body).filter((name) => name.length === 1),
        )
    },
  })),
  {
    name: 'list: in pages, though things change meanwhile',
    run: async (world) => {
      await fill(world)
      const first = await world.send('GET', maps, undefined, { query: { limit: '2' } })
      const { continue: token = '', remainingItemCount } = first.body['metadata'] as {
        continue?: string
        remainingItemCount?: number
      }
      await world.arrange('DELETE', `${maps}/e`)
      const second = await world.send('GET', maps, undefined, { query: { limit: '10', continue: token } })
      world.observe('pages', { first: namesOf(first.body), remainingItemCount, second: namesOf(second.body) })
    },
  },
  {
    name: 'list: a continue token that nobody gave',
    run: async (world) => void (await world.send('GET', maps, undefined, { query: { limit: '1', continue: '!!!' } })),
  },
  {
    name: 'watch: from a version',
    run: async (world) => {
      const version = await fill(world)
      await world.arrange('PATCH', `${maps}/a`, { data: { x: '2' } }, merge)
      await world.arrange('DELETE', `${maps}/b`)
      await world.watch(maps, { resourceVersion: version }, 5)
    },
  },
  {
    name: 'watch: with a selector, things come and go',
    run: async (world) => {
      const version = await fill(world)
      await world.arrange('PATCH', `${maps}/c`, { metadata: { labels: { parity: 'even' } } }, merge)
      await world.arrange('PATCH', `${maps}/b`, { metadata: { labels: { parity: 'odd' } } }, merge)
      await world.arrange('DELETE', `${maps}/d`)
      await world.watch(maps, { resourceVersion: version, labelSelector: 'parity=even' }, 4)
    },
  },
  {
    name: 'watch: one object by its name',
    run: async (world) => {
      const version = await fill(world)
      await world.arrange('PATCH', `${maps}/b`, { data: { x: '2' } }, merge)
      await world.watch(maps, { resourceVersion: version, fieldSelector: 'metadata.name=b' }, 1)
    },
  },
  {
    name: 'watch: a version that is no number',
    run: async (world) => void (await world.watch(maps, { resourceVersion: 'x' }, 1)),
  },
  {
    name: 'watch: what takes the last finalizer away is a deletion',
    run: async (world) => {
      const { body } = await world.arrange('POST', maps, map('a', { finalizers: ['example.com/hold'] }))
      await world.arrange('DELETE', `${maps}/a`)
      await world.arrange('PATCH', `${maps}/a`, { metadata: { finalizers: null } }, merge)
      await world.watch(maps, { resourceVersion: versionOf(body) }, 2)
    },
  },
  {
    name: 'an unknown kind',
    run: async (world) => void (await world.send('GET', '/apis/example.com/v1/namespaces/NS/things')),
  },
  { name: 'an unknown subresource', run: async (world) => void (await world.send('GET', `${maps}/a/status`)) },
  { name: 'a method that a kind does not have', run: async (world) => void (await world.send('PUT', maps, map('a'))) },
]

export const objectScenarios: readonly Scenario[] = [...creations, ...changes, ...deletions, ...reads]
