import { expect, test } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { releaseStaticPods, removeMailboxes } from './release-static-pods.ts'

test('waits for agents that put back what is parked, and names what nobody puts back', async () => {
  const { admin, clock, namespace, createMailbox, want, wanted, report } = agentGround()
  await createMailbox('one', ['a/b-one', 'a/c-one'])
  await createMailbox('two', ['a/b-two'])
  await createMailbox('idle', [])
  await want('one', 'a/b-one', 'a/c-one')
  await want('two', 'a/b-two')
  const releasing = releaseStaticPods({ kube: admin, clock }, namespace)
  await clock.advance(500)
  expect(await wanted('one')).toEqual([])
  expect(await wanted('idle')).toBeUndefined()
  await report('one', [])
  await clock.advance(60_000)
  expect(await releasing).toEqual({
    released: 2,
    left: [
      'on node two no agent is running: static pod a/b-two stay parked; rename .lifeboat-parked.NAME to NAME in /m there',
    ],
  })
})

test('where nothing is parked nothing is written', async () => {
  const { admin, clock, namespace, createMailbox, wanted } = agentGround()
  await createMailbox('idle', [])
  expect(await releaseStaticPods({ kube: admin, clock }, namespace)).toEqual({ released: 0, left: [] })
  expect(await wanted('idle')).toBeUndefined()
})

test('removes the mailboxes, and no other Lease', async () => {
  const { admin, clock, namespace, createMailbox } = agentGround()
  await createMailbox('one', [])
  await admin.create(leases, { metadata: { namespace, name: 'lifeboat' } })
  await removeMailboxes({ kube: admin, clock }, namespace)
  const { items } = await admin.list(leases, { namespace })
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['lifeboat'])
})
