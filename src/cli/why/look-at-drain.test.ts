import { expect, test } from 'vitest'
import { failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { maintain, noting, selectNodes } from '../../../test/build/maintenance.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { labels } from '../../api/names.ts'
import type { TransportRequest } from '../../kube/client/transport.ts'
import { lookAtDrain } from './look-at-drain.ts'

const { signal } = new AbortController()

/** Two nodes under one drain, and a third under a maintenance of its own. */
async function openGround(nodes = 3): Promise<LifeboatGround> {
  const ground = await openLifeboatGround({ nodes })
  for (const name of ['node-1', 'node-2']) {
    await maintain(ground, `rack-${name}`, selectNodes(name))
    const body = { metadata: { labels: { [labels.drain]: 'rack' } } }
    await ground.until(ground.admin.patch(nodeMaintenances, { name: `rack-${name}` }, { type: 'merge', body }))
  }
  await maintain(ground, 'os-upgrade', selectNodes('node-3'))
  return ground
}

const nodesOf = (view: Awaited<ReturnType<typeof lookAtDrain>>) => view?.views.map(({ node }) => node?.metadata.name)

test.each([
  { name: 'rack', expected: ['node-1', 'node-2'] },
  { name: 'rack-node-2', expected: ['node-2'] },
  { name: 'os-upgrade', expected: ['node-3'] },
  { name: 'elsewhere', expected: undefined },
])('$name has the nodes $expected', async ({ name, expected }) => {
  await using ground = await openGround()
  expect(nodesOf(await ground.until(lookAtDrain(ground.admin, name, signal)))).toEqual(expected)
})

test.each([
  { name: 'os-upgrade', all: 3, lists: 1, selector: 'spec.nodeName=node-3' },
  { name: 'fleet', all: 22, lists: 1, selector: undefined },
])('the pods of $name are read by $lists requests', async ({ name, all, lists, selector }) => {
  await using ground = await openGround(all)
  const names = Array.from({ length: all }, (_, index) => `node-${index + 1}`)
  await maintain(ground, 'fleet', selectNodes(...names))
  const requests: TransportRequest[] = []
  const kube = buildKube(noting(requests)(ground.adminTransport), ground.clock)
  await ground.until(lookAtDrain(kube, name, signal))
  const ofPods = requests.filter(({ path }) => path === '/api/v1/pods')
  expect(ofPods).toHaveLength(lists)
  expect(ofPods[0]?.query?.['fieldSelector']).toBe(selector)
})

test('who may not read maintenances finds no drain', async () => {
  await using ground = await openGround()
  const transport = ground.adminTransport
  const kube = buildKube(
    {
      request: async (request) =>
        request.path.endsWith('nodemaintenances') ? failure(403, 'Forbidden', 'no') : transport.request(request),
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    },
    ground.clock,
  )
  expect(await ground.until(lookAtDrain(kube, 'rack', signal))).toBeUndefined()
})
