import { expect, test } from 'vitest'
import { failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { maintain, noting, selectNodes } from '../../../test/build/maintenance.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import type { Transport, TransportRequest } from '../../kube/client/transport.ts'
import { lookAtNode, lookAtPod } from './look.ts'

async function openGround() {
  const ground = await openLifeboatGround({ nodes: 1 })
  const pod = await ground.createPod('web-0')
  await ground.evacuate(pod)
  await maintain(ground, 'os-upgrade', selectNodes('node-1'))
  return ground
}

/** What is asked of the API server, without a way to write. */
function watchedBy(ground: LifeboatGround, wrap: (transport: Transport) => Transport = (transport) => transport) {
  const requests: TransportRequest[] = []
  const kube = buildKube(noting(requests)(wrap(ground.adminTransport)), ground.clock)
  const asked = () =>
    requests
      .map(({ method, path, query = {} }) => `${method} ${path} ${query['fieldSelector'] ?? ''}`.trim())
      .toSorted()
  return { kube, asked }
}

const forbidding = (forbidden: RegExp) => (transport: Transport) => ({
  ...transport,
  request: async (request: TransportRequest) =>
    forbidden.test(request.path) ? failure(403, 'Forbidden', 'not for you') : transport.request(request),
  watch: (request: TransportRequest) => transport.watch(request),
  close: () => transport.close(),
})

test('a node costs five requests, and only its own pods are listed', async () => {
  await using ground = await openGround()
  const { kube, asked } = watchedBy(ground)
  const view = await ground.until(lookAtNode(kube, 'node-1'))
  expect(view?.pods.map(({ metadata }) => metadata.name)).toEqual(['web-0'])
  expect(view?.evacuations).toHaveLength(1)
  expect(view?.maintenances.map(({ metadata }) => metadata.name)).toEqual(['os-upgrade'])
  expect(asked()).toEqual([
    'GET /api/v1/nodes/node-1',
    'GET /api/v1/pods spec.nodeName=node-1',
    'GET /apis/coordination.k8s.io/v1/leases metadata.name=lifeboat-agent-node-1',
    'GET /apis/evacuation.coordination.k8s.io/v1alpha1/evacuations',
    'GET /apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances',
  ])
})

test('a pod costs four, and none of them lists pods', async () => {
  await using ground = await openGround()
  const { kube, asked } = watchedBy(ground)
  const view = await ground.until(lookAtPod(kube, { namespace: 'default', name: 'web-0' }))
  expect(view).toMatchObject({ about: 'pod', node: { metadata: { name: 'node-1' } }, evacuations: [{}] })
  expect(asked().filter((request) => request.includes('/pods'))).toEqual(['GET /api/v1/namespaces/default/pods/web-0'])
  expect(asked()).toHaveLength(4)
})

test.each([/\/nodes\//, /nodemaintenances$/])(
  'who owns a namespace and no more can ask about a pod: no %s',
  async (forbidden) => {
    await using ground = await openGround()
    const { kube } = watchedBy(ground, forbidding(forbidden))
    const view = await ground.until(lookAtPod(kube, { namespace: 'default', name: 'web-0' }))
    expect(view).toMatchObject({ node: undefined, pods: [{}], evacuations: [{}] })
  },
)

test('what is not there is undefined', async () => {
  await using ground = await openGround()
  expect(await ground.until(lookAtNode(ground.admin, 'elsewhere'))).toBeUndefined()
  expect(await ground.until(lookAtPod(ground.admin, { namespace: 'default', name: 'web-9' }))).toBeUndefined()
})

test('of a pod that is gone its Evacuation is found', async () => {
  await using ground = await openGround()
  const key = { namespace: 'default', name: 'web-0' }
  await ground.until(ground.admin.delete(pods, key, { gracePeriodSeconds: 0 }))
  const view = await ground.until(lookAtPod(ground.admin, key))
  expect(view).toMatchObject({ node: undefined, pods: [] })
  const { items } = await ground.until(ground.admin.list(evacuations))
  expect(view?.evacuations.map(({ metadata }) => metadata.name)).toEqual(items.map(({ metadata }) => metadata.name))
})
