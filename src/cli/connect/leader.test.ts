import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { stored } from '../../../test/build/stored.ts'
import { leaderOf, readLeader, renderLeaderWarning } from './leader.ts'

const nowMs = Date.parse('2026-01-01T12:00:00Z')
const lease = (holderIdentity: string, secondsAgo: number) =>
  stored<Lease>({
    metadata: { namespace: 'lifeboat-system', name: 'lifeboat' },
    spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: new Date(nowMs - secondsAgo * 1_000).toISOString() },
  })

test.each([
  { name: 'one that renews leads', found: [lease('a', 2)], expected: { kind: 'leads', identity: 'a' } },
  { name: 'one that has let go does not', found: [lease('', 2)], expected: { kind: 'none' } },
  { name: 'one that is silent does not', found: [lease('a', 30)], expected: { kind: 'none' } },
  {
    name: 'a clock that is some seconds off does not matter',
    found: [lease('a', 20)],
    expected: { kind: 'leads', identity: 'a' },
  },
  { name: 'no lease is nobody', found: [], expected: { kind: 'none' } },
  {
    name: 'of several the one that renews',
    found: [lease('a', 90), lease('b', 1)],
    expected: { kind: 'leads', identity: 'b' },
  },
])('$name', ({ found, expected }) => expect(leaderOf(found, nowMs)).toEqual(expected))

const path = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lifeboat`

test('it is looked for where it usually is', async () => {
  const api = new FakeApi()
  api.put(path('lifeboat-system'), lease('a', 2))
  expect(await readLeader(buildKube(api, new VirtualClock()), nowMs)).toEqual({ kind: 'leads', identity: 'a' })
  expect(api.requests).toHaveLength(1)
})

test('and elsewhere if it is not there', async () => {
  const api = new FakeApi()
  api.put('/apis/coordination.k8s.io/v1/leases/lifeboat', lease('b', 2))
  expect(await readLeader(buildKube(api, new VirtualClock()), nowMs)).toEqual({ kind: 'leads', identity: 'b' })
  expect(api.requests.at(-1)?.query).toMatchObject({ fieldSelector: 'metadata.name=lifeboat' })
})

test('who may not look does not know, and gives no false alarm', async () => {
  const api = new FakeApi()
  api.fault = () => failure(403, 'Forbidden', 'no')
  const leader = await readLeader(buildKube(api, new VirtualClock()), nowMs)
  expect(leader).toEqual({ kind: 'unknown' })
  expect(renderLeaderWarning(leader, 'lifeboat')).toBeUndefined()
})

test('nobody is one line with what to do', () => {
  expect(renderLeaderWarning({ kind: 'none' }, 'kubectl lifeboat')).toMatch(
    /^warning: no Lifeboat is running.*`kubectl lifeboat run`$/,
  )
  expect(renderLeaderWarning({ kind: 'leads', identity: 'a' }, 'lifeboat')).toBeUndefined()
})
