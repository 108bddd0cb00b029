import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'
import type { Admission } from '../admission/admission.ts'
import { forbidden } from '../failure.ts'

const pod = (name: string, extra: object = {}) => ({
  metadata: { name, ...extra },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
})
const podsPath = '/api/v1/namespaces/shop/pods'

describe('create', () => {
  test('fills in defaults, and starts a pod as Pending whatever its status says', async () => {
    const { send } = buildServer()
    const { status, body } = await send('POST', podsPath, { ...pod('a'), status: { phase: 'Running' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      kind: 'Pod',
      apiVersion: 'v1',
      spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
      status: { phase: 'Pending' },
    })
  })

  test.each([
    {
      name: 'a second one of the same name',
      first: pod('a'),
      body: pod('a'),
      path: podsPath,
      expected: '409 AlreadyExists: pods "a" already exists',
    },
    {
      name: 'one without a name',
      body: pod(''),
      path: podsPath,
      expected: '422 Invalid: Pod "" is invalid: metadata.name: Required value: name or generateName is required',
    },
    {
      name: 'one without containers',
      body: { metadata: { name: 'a' } },
      path: podsPath,
      expected: '422 Invalid: Pod "a" is invalid: spec.containers: Required value',
    },
    {
      name: 'one into a namespace that is not there',
      body: pod('a'),
      path: '/api/v1/namespaces/none/pods',
      expected: '404 NotFound: namespaces "none" not found',
    },
    {
      name: 'something else',
      body: { ...pod('a'), kind: 'Node' },
      path: podsPath,
      expected: '400 BadRequest: Node in version "" cannot be handled as a Pod: unexpected kind',
    },
    { name: 'an array', body: [], path: podsPath, expected: '400 BadRequest: the object provided is not an object' },
    {
      name: 'one of another version',
      body: { ...pod('a'), apiVersion: 'v2' },
      path: podsPath,
      expected:
        '400 BadRequest: Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    },
  ])('refuses $name', async ({ first, body, path, expected }) => {
    const { send } = buildServer()
    if (first !== undefined) await send('POST', path, first)
    expect(said(await send('POST', path, body))).toBe(expected)
  })

  test('a dry run stores nothing', async () => {
    const { send, store } = buildServer()
    expect((await send('POST', podsPath, pod('a'), { query: { dryRun: 'All' } })).status).toBe(201)
    expect(store.count('pods')).toBe(0)
  })

  test('nothing begins in a namespace that is about to go', async () => {
    const { send, store } = buildServer()
    store.put('namespaces', 'shop', { metadata: storedMeta({ name: 'shop', deletionTimestamp: 'now' }) })
    const answer = await send('POST', podsPath, pod('a'))
    expect(said(answer)).toContain('403 Forbidden')
    expect(answer.body).toMatchObject({ details: { causes: [{ reason: 'NamespaceTerminating' }] } })
  })

  test('what the caller does to the object afterwards does not matter', async () => {
    const { send, store } = buildServer()
    const mine = pod('a')
    await send('POST', podsPath, mine)
    mine.spec.containers.length = 0
    expect(store.get('pods', 'shop/a')).toMatchObject({ spec: { containers: [{ name: 'main' }] } })
  })
})

describe('update', () => {
  const path = '/apis/apps/v1/namespaces/shop/deployments'
  const deployment = (replicas: number) => ({
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
    },
  })

  test('counts a generation when the spec changes, and only then', async () => {
    const { send } = buildServer()
    await send('POST', path, deployment(1))
    const labelled = { ...deployment(1), metadata: { name: 'web', labels: { a: 'b' } } }
    expect((await send('PUT', `${path}/web`, labelled)).body).toMatchObject({ metadata: { generation: 1 } })
    expect((await send('PUT', `${path}/web`, deployment(2))).body).toMatchObject({ metadata: { generation: 2 } })
  })

  test('a write that changes nothing makes no version', async () => {
    const { send, store } = buildServer()
    const { body } = await send('POST', path, deployment(1))
    const before = store.revision
    expect((await send('PUT', `${path}/web`, body)).body).toEqual(body)
    expect(store.revision).toBe(before)
  })

  test('status has a door of its own, in both directions', async () => {
    const { send } = buildServer()
    await send('POST', path, deployment(1))
    const both = { ...deployment(5), status: { replicas: 3 } }
    expect((await send('PUT', `${path}/web/status`, both)).body).toMatchObject({
      spec: { replicas: 1 },
      status: { replicas: 3 },
    })
    const other = { ...deployment(5), status: { replicas: 9 } }
    expect((await send('PUT', `${path}/web`, other)).body).toMatchObject({
      spec: { replicas: 5 },
      status: { replicas: 3 },
    })
  })

  test.each([
    {
      name: 'an old version',
      sent: { ...deployment(2), metadata: { name: 'web', resourceVersion: '1' } },
      expected:
        '409 Conflict: Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      name: 'another name',
      sent: { ...deployment(2), metadata: { name: 'api' } },
      expected: '400 BadRequest: the name of the object (api) does not match the name on the URL (web)',
    },
    {
      name: 'a changed selector',
      sent: { ...deployment(1), spec: { ...deployment(1).spec, selector: { matchLabels: {} } } },
      expected:
        '422 Invalid: Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{}}: field is immutable',
    },
  ])('refuses $name', async ({ sent, expected }) => {
    const { send } = buildServer()
    await send('POST', path, deployment(1))
    expect(said(await send('PUT', `${path}/web`, sent))).toBe(expected)
  })

  test('taking the last finalizer from what is to go lets it go', async () => {
    const { send, store } = buildServer()
    await send('POST', path, { ...deployment(1), metadata: { name: 'web', finalizers: ['example.com/hold'] } })
    await send('DELETE', `${path}/web`)
    expect(store.get('deployments.apps', 'shop/web')?.metadata.deletionTimestamp).toBeDefined()
    await send(
      'PATCH',
      `${path}/web`,
      { metadata: { finalizers: null } },
      { contentType: 'application/merge-patch+json' },
    )
    expect(store.get('deployments.apps', 'shop/web')).toBeUndefined()
  })
})

describe('with admission in between', () => {
  test('what mutates is stored, and what refuses stores nothing', async () => {
    const admission: Admission = {
      mutate: async ({ object }) =>
        object === undefined ? undefined : { ...object, metadata: { ...object.metadata, labels: { seen: 'yes' } } },
      validate: async ({ name, definition }, warnings) => {
        warnings.push('careful')
        if (name === 'bad') throw forbidden(definition, 'bad', 'no')
      },
    }
    const { send, store } = buildServer({ admission })
    const answer = await send('POST', podsPath, pod('a'))
    expect(answer.body).toMatchObject({ metadata: { labels: { seen: 'yes' } } })
    expect(answer.headers['warning']).toEqual(['299 - "careful"'])
    const refused = await send('POST', podsPath, pod('bad'))
    expect(said(refused)).toBe('403 Forbidden: pods "bad" is forbidden: no')
    expect(refused.headers['warning']).toEqual(['299 - "careful"'])
    expect(store.get('pods', 'shop/bad')).toBeUndefined()
  })

  test('a warning is told even if the request fails', async () => {
    const admission: Admission = {
      mutate: async ({ object }) => object,
      validate: async ({ operation, definition, object }, warnings) => {
        warnings.push('careful')
        if (operation === 'DELETE' || object?.metadata.labels?.['bad'] === 'yes') throw forbidden(definition, 'a', 'no')
      },
    }
    const { send } = buildServer({ admission })
    await send('POST', podsPath, pod('a'))
    const contentType = 'application/merge-patch+json'
    const answers = [
      await send('POST', podsPath, pod('a')),
      await send('PATCH', `${podsPath}/a`, { metadata: { labels: { bad: 'yes' } } }, { contentType }),
      await send('DELETE', `${podsPath}/a`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([409, 403, 403])
    for (const { headers } of answers) expect(headers['warning']).toEqual(['299 - "careful"'])
  })

  test('a change made meanwhile is not lost: a patch is made anew on top of it', async () => {
    let meddle = () => {}
    const admission: Admission = { mutate: async ({ object }) => object, validate: async () => meddle() }
    const { send, store } = buildServer({ admission })
    await send('POST', podsPath, pod('a'))
    meddle = () => {
      meddle = () => {}
      const stored = store.get('pods', 'shop/a')
      if (stored !== undefined)
        store.put('pods', 'shop/a', { ...stored, metadata: { ...stored.metadata, labels: { theirs: 'yes' } } })
    }
    const patch = { metadata: { labels: { ours: 'yes' } } }
    const { body } = await send('PATCH', `${podsPath}/a`, patch, { contentType: 'application/merge-patch+json' })
    expect(body).toMatchObject({ metadata: { labels: { ours: 'yes', theirs: 'yes' } } })
  })
})
