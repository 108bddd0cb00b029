import { expect, test } from 'vitest'
import { deployments, replicaSets } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { recentReads } from './recent-reads.ts'

function ground() {
  const clock = new VirtualClock()
  const asked: string[] = []
  let failures = 0
  const kube = {
    get: async ({ plural }: { plural: string }, { name }: { name: string }) => {
      asked.push(`${plural}/${name}`)
      if (failures-- > 0) throw new Error('not now')
      return { metadata: { name } }
    },
    list: async ({ plural }: { plural: string }, { namespace }: { namespace: string }) => {
      asked.push(`${plural} of ${namespace}`)
      return { items: [], resourceVersion: '1' }
    },
  } as unknown as Kube
  return { clock, asked, reads: recentReads(kube, clock, 10_000), fail: (count: number) => (failures = count) }
}

const web = { namespace: 'shop', name: 'web' }

test('the same is asked once, also at the same time, until it is old', async () => {
  const { clock, asked, reads } = ground()
  await Promise.all([
    reads.get(deployments, web),
    reads.get(deployments, web),
    reads.list(deployments, { namespace: 'shop' }),
  ])
  await reads.list(deployments, { namespace: 'shop' })
  await clock.advance(9_999)
  expect(await reads.get(deployments, web)).toEqual({ metadata: { name: 'web' } })
  expect(asked).toEqual(['deployments/web', 'deployments of shop'])
  await clock.advance(1)
  await reads.get(deployments, web)
  expect(asked).toHaveLength(3)
})

test('what is another kind, name or namespace is another question', async () => {
  const { asked, reads } = ground()
  await reads.get(deployments, web)
  await reads.get(replicaSets, web)
  await reads.get(deployments, { namespace: 'shop', name: 'mail' })
  await reads.list(deployments, { namespace: 'shop' })
  await reads.list(deployments, { namespace: 'bank' })
  expect(asked).toHaveLength(5)
})

test('a failure is not kept', async () => {
  const { asked, reads, fail } = ground()
  fail(1)
  await expect(reads.get(deployments, web)).rejects.toThrow('not now')
  expect(await reads.get(deployments, web)).toEqual({ metadata: { name: 'web' } })
  expect(asked).toHaveLength(2)
})
