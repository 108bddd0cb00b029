import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { nodeLookup } from './node-lookup.ts'

test('a node is read once for all who ask within some seconds', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const lookup = nodeLookup({ kube: ground.admin, clock: ground.clock })
  const { signal } = new AbortController()
  const isCordoned = async () => (await ground.until(lookup('node-1', signal)))?.spec?.unschedulable
  expect(await isCordoned()).toBeUndefined()
  const body = { spec: { unschedulable: true } }
  await ground.until(ground.admin.patch(nodes, { name: 'node-1' }, { type: 'merge', body }))
  expect(await isCordoned()).toBeUndefined()
  await ground.pass(5_000)
  expect(await isCordoned()).toBe(true)
})

test('there may be no such node', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const lookup = nodeLookup({ kube: ground.admin, clock: ground.clock })
  expect(await ground.until(lookup('node-9', new AbortController().signal))).toBeUndefined()
})
