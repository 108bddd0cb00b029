import { channel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Event } from '../../src/api/kubernetes/core.ts'
import { configMaps, events, namespaces, pods, serviceAccounts } from '../../src/api/kubernetes/resources.ts'
import { EventRecorder } from '../../src/kube/events/event-recorder.ts'
import { staticCredentials } from '../../src/kube/auth/credentials.ts'
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { filesIn } from '../cluster/components.ts'
import { connect, connectTransport, type Connection } from '../cluster/connect.ts'
import { ownCluster } from './own-cluster.ts'

const namespace = 'client'
let connection: Connection
beforeAll(async () => {
  // Everybody else shows a token.
  connection = await connect({ kubeconfigPath: filesIn(ownCluster().folder).kubeconfigWithCertificate })
  await connection.kube.create(namespaces, { metadata: { name: namespace } })
  // Until it is there, pods are refused.
  await vi.waitFor(() => connection.kube.get(serviceAccounts, { namespace, name: 'default' }), { timeout: 20_000 })
})
afterAll(() => connection[Symbol.asyncDispose]())

const map = (name: string) => ({ metadata: { namespace, name }, data: { x: '1' } })

describe('typed errors', () => {
  test.each([
    { name: 'not found', call: () => connection.kube.get(configMaps, { namespace, name: 'none' }), kind: 'notFound' },
    {
      name: 'already exists',
      call: async () => {
        await connection.kube.create(configMaps, map('twice'))
        await connection.kube.create(configMaps, map('twice'))
      },
      kind: 'alreadyExists',
    },
    {
      name: 'conflict',
      call: async () => {
        const made = await connection.kube.create(configMaps, map('conflict'))
        await connection.kube.patch(configMaps, made.metadata, {
          type: 'merge',
          body: { data: { x: '2' } },
        })
        await connection.kube.replace(configMaps, made)
      },
      kind: 'conflict',
    },
    {
      name: 'another UID',
      call: async () => {
        await connection.kube.create(configMaps, map('uid'))
        await connection.kube.delete(configMaps, { namespace, name: 'uid' }, { preconditions: { uid: 'other' } })
      },
      kind: 'conflict',
    },
    {
      name: 'bad request',
      call: () => connection.kube.list(configMaps, { fieldSelector: 'spec.x=1' }),
      kind: 'badRequest',
    },
  ])('$name', async ({ call, kind }) => {
    await expect(call()).rejects.toMatchObject({ name: 'KubeError', kind })
  })

  test('invalid, with the field at fault', async () => {
    const created = connection.kube.create(pods, { metadata: { namespace, name: 'bad' }, spec: { containers: [] } })
    await expect(created).rejects.toMatchObject({ kind: 'invalid', causes: [{ field: 'spec.containers' }] })
  })

  test('forbidden, for whom RBAC gives nothing', async () => {
    const { server, certificateAuthority } = ownCluster()
    const transport = new UndiciTransport({
      server,
      tls: { certificateAuthority, insecureSkipVerify: false },
      credentials: staticCredentials({}),
      userAgent: 'lifeboat-test',
    })
    expect((await transport.request({ method: 'GET', path: '/api/v1/nodes' })).status).toBe(403)
    await transport.close()
  })

  test('a server that nobody vouches for gets nothing', async () => {
    const { server, adminToken } = ownCluster()
    const transport = new UndiciTransport({
      server,
      tls: { insecureSkipVerify: false },
      credentials: staticCredentials({ token: adminToken }),
      userAgent: 'lifeboat-test',
    })
    await expect(transport.request({ method: 'GET', path: '/version' })).rejects.toMatchObject({
      name: 'TransportError',
      sent: 'no',
    })
    await transport.close()
  })
})

describe('the verbs', () => {
  test('three kinds of patches, lists in pages, and a dry run', async () => {
    const { kube } = connection
    await kube.create(configMaps, map('verbs'))
    const key = { namespace, name: 'verbs' }
    await kube.patch(configMaps, key, { type: 'json', body: [{ op: 'add', path: '/data/a', value: '1' }] })
    await kube.patch(configMaps, key, { type: 'merge', body: { data: { b: '2' } } })
    const patched = await kube.patch(configMaps, key, { type: 'strategic', body: { data: { c: '3', x: null } } })
    expect(patched.data).toEqual({ a: '1', b: '2', c: '3' })
    await kube.delete(configMaps, key, { dryRun: true })
    await kube.delete(configMaps, key, { preconditions: { uid: patched.metadata.uid } })
    await expect(kube.get(configMaps, key)).rejects.toMatchObject({ kind: 'notFound' })
    await Promise.all(
      Array.from({ length: 25 }, (_, at) =>
        kube.create(configMaps, {
          ...map(`page-${at}`),
          metadata: { namespace, name: `page-${at}`, labels: { paged: 'yes' } },
        }),
      ),
    )
    const { items } = await kube.list(configMaps, { namespace, labelSelector: 'paged=yes', pageSize: 10 })
    expect(items).toHaveLength(25)
  })

  test('bind and evict, once and twice', async () => {
    const { kube } = connection
    const made = await kube.create(pods, {
      metadata: { namespace, name: 'evicted' },
      spec: { containers: [{ name: 'main', image: 'none' }], schedulingGates: [{ name: 'example.com/hold' }] },
    })
    const pod = { namespace, name: 'evicted', uid: made.metadata.uid }
    await expect(kube.bind(pod, 'nowhere')).rejects.toMatchObject({ name: 'KubeError' })
    expect(await kube.evict(pod, { dryRun: true })).toEqual({ kind: 'accepted' })
    expect(await kube.evict(pod)).toEqual({ kind: 'accepted' })
    expect(await kube.evict(pod)).toEqual({ kind: 'gone' })
  })

  test('what was recorded twice is one Event with a count', async () => {
    const { kube } = connection
    const about = await kube.create(configMaps, map('subject'))
    const sink = {
      create: (into: string, event: Event) =>
        kube.create(events, { ...event, metadata: { ...event.metadata, namespace: into } }),
      patch: (into: string, name: string, body: unknown) =>
        kube.patch(events, { namespace: into, name }, { type: 'merge', body }),
    }
    const recorder = new EventRecorder({
      sink,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      component: 'lifeboat',
      instance: 'test',
    })
    const subject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'subject', uid: about.metadata.uid },
    }
    for (let count = 0; count < 3; count++)
      recorder.record({ about: subject, type: 'Normal', reason: 'Tested', note: 'it was tested' })
    await recorder.flush()
    const { items } = await kube.list(events, { namespace, fieldSelector: 'involvedObject.name=subject' })
    expect(items).toMatchObject([
      { count: 3, reason: 'Tested', message: 'it was tested', source: { component: 'lifeboat' } },
    ])
  })
})

test('400 watches share a few connections, see everything, and leave nothing open', async () => {
  let opened = 0
  channel('net.client.socket').subscribe(() => opened++)
  const transport = await connectTransport(ownCluster())
  const stop = new AbortController()
  const { resourceVersion } = await connection.kube.list(configMaps, { namespace, labelSelector: 'none=none' })
  const before = opened
  let seen = 0
  const query = { watch: 'true', resourceVersion, labelSelector: 'watched=yes' }
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const readings: Promise<void>[] = []
  const answers = await Promise.all(
    Array.from({ length: 400 }, () => transport.watch({ method: 'GET', path, query, signal: stop.signal })),
  )
  for (const answer of answers) {
    const read = async () => {
      if (answer.kind === 'stream') for await (const _ of answer.events) seen++
    }
    readings.push(read().catch(() => {}))
  }
  await connection.kube.create(configMaps, { metadata: { namespace, name: 'watched', labels: { watched: 'yes' } } })
  await expect.poll(() => seen, { timeout: 20_000 }).toBe(400)
  expect(opened - before).toBeLessThanOrEqual(10)
  stop.abort(new Error('enough'))
  await Promise.all(readings)
  await transport.close()
}, 60_000)

test('watches that are given up at the moment they are sent leave nothing behind that could end the process', async () => {
  const transport = await connectTransport(ownCluster())
  const query = (node: number) => ({ watch: 'true', fieldSelector: `spec.nodeName=node-${node}` })
  const kept = new AbortController()
  // The connection must be there: a watch that waits for one is not sent yet.
  const first = await transport.watch({ method: 'GET', path: '/api/v1/pods', query: query(0), signal: kept.signal })
  expect(first.kind).toBe('stream')
  for (let node = 1; node <= 20; node++) {
    const stop = new AbortController()
    const watch = transport.watch({ method: 'GET', path: '/api/v1/pods', query: query(node), signal: stop.signal })
    stop.abort(new Error('given up'))
    await expect(watch).rejects.toThrow('given up')
  }
  kept.abort(new Error('given up'))
  // An error that nobody listens to fails the whole run, here or a moment later.
  await transport.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
})
