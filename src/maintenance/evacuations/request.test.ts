import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { RequestOutcome } from '../../evacuation-client/request-evacuation.ts'
import { expect, test } from 'vitest'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { EvacuationRequests } from './request.ts'

const evacuation = stored<Evacuation>({
  metadata: { namespace: 'shop', name: 'u-web' },
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
})

const maintenance = stored<NodeMaintenance>({
  metadata: { name: 'm' },
  spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [] } },
})

const podOf = ({ namespace, name }: { namespace: string; name: string }, uid = 'u') =>
  stored<Pod>({ metadata: { namespace, name, uid } })

async function reconciled(outcome: RequestOutcome, isDue = true) {
  const clock = new VirtualClock()
  const events: ClusterEvent[] = []
  const asked: string[] = []
  const counted: string[] = []
  const requests = new EvacuationRequests({
    clock,
    events: { record: (event) => void events.push(event) },
    metrics: { requested: (result) => void counted.push(result) },
    instigator: {
      request: async ({ metadata }) => {
        asked.push(metadata.name)
        return outcome
      },
    },
    state: { duePod: (key) => (isDue && key.node === 'one' ? { pod: podOf(key), maintenance } : undefined) },
  })
  const next = await requests.reconcile('one/shop/web', new AbortController().signal)
  const inMs = next.kind === 'again' ? next.atMs - clock.nowMs() : undefined
  return { asked, counted, inMs, told: events.map(({ reason, note }) => `${reason}: ${note}`) }
}

test.each<{ outcome: RequestOutcome; counted: string[]; inMs?: number; told?: string[] }>([
  { outcome: { kind: 'requested', evacuation }, counted: ['requested'] },
  { outcome: { kind: 'podGone' }, counted: ['gone'] },
  { outcome: { kind: 'beingCancelled', evacuation }, counted: [], inMs: 1_000 },
  {
    outcome: { kind: 'refused', message: 'quota' },
    counted: ['refused'],
    inMs: 30_000,
    told: ['EvacuationRefused: Cannot ask for the evacuation of pod shop/web: quota'],
  },
])('$outcome.kind', async ({ outcome, counted, inMs, told = [] }) => {
  expect(await reconciled(outcome)).toEqual({ asked: ['web'], counted, inMs, told })
})

test('a pod whose turn has not come, or that is evacuated already, is not asked for', async () => {
  expect(await reconciled({ kind: 'requested', evacuation }, false)).toMatchObject({ asked: [] })
})

test('a pod whose request was refused is not asked for again before its time, whatever wakes it', async () => {
  const clock = new VirtualClock()
  let [asked, isDue, uid] = [0, true, 'u']
  const requests = new EvacuationRequests({
    clock,
    events: { record: () => {} },
    metrics: { requested: () => {} },
    instigator: {
      request: async () => {
        asked++
        return { kind: 'refused', message: 'quota' }
      },
    },
    state: { duePod: (key) => (isDue ? { pod: podOf(key, uid), maintenance: undefined } : undefined) },
  })
  const { signal } = new AbortController()
  const again = await requests.reconcile('one/shop/web', signal)
  await clock.advance(10_000)
  expect(await requests.reconcile('one/shop/web', signal)).toEqual(again)
  expect(asked).toBe(1)
  await clock.advance(20_000)
  await requests.reconcile('one/shop/web', signal)
  expect(asked).toBe(2)
  // Another pod of its name is another matter, and so is one whose turn came again.
  uid = 'another'
  await requests.reconcile('one/shop/web', signal)
  expect(asked).toBe(3)
  isDue = false
  await requests.reconcile('one/shop/web', signal)
  isDue = true
  await requests.reconcile('one/shop/web', signal)
  expect(asked).toBe(4)
})
