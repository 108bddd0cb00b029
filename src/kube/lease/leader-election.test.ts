import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { LeaderElection } from './leader-election.ts'
import { TransportError, type Transport } from '../client/transport.ts'

const leasePath = '/apis/coordination.k8s.io/v1/namespaces/lifeboat/leases/leader'

function candidate(options: { identity: string; clock: Clock; transport: Transport; acts: string[] }) {
  const stop = new AbortController()
  const election = new LeaderElection({
    kube: buildKube(options.transport, options.clock),
    clock: options.clock,
    random: seededRandom(7),
    log: silentLog,
    namespace: 'lifeboat',
    name: 'leader',
    identity: options.identity,
  })
  const lead = async (leading: AbortSignal) => {
    while (!leading.aborted) {
      if (election.isLeading()) options.acts.push(options.identity)
      await sleep(options.clock, 100, leading).catch(() => {})
    }
  }
  const ended = election.run(stop.signal, lead)
  return { election, ended, stop: () => stop.abort(new Error('enough')) }
}

/** A transport that can be cut off from the server. */
function cuttable(api: Transport): Transport & { isCut: boolean } {
  const cut = async (): Promise<never> => {
    throw new TransportError('connect ECONNREFUSED', { sent: 'no' })
  }
  return {
    isCut: false,
    request(request) {
      return this.isCut ? cut() : api.request(request)
    },
    watch: (request) => api.watch(request),
    close: async () => {},
  }
}

const holder = (api: FakeApi) => {
  const lease = api.objects.get(leasePath) as Lease | undefined
  return lease?.spec?.holderIdentity
}
/** At such a request somebody calls a stop: it arrives, but whoever sent it has stopped listening. */
function cutOffAt(method: string, api: FakeApi, stop: { readonly now: () => void }): Transport {
  return {
    request: async (request) => {
      const response = await api.request({ ...request, beforeSending: () => {} })
      if (request.method === method) stop.now()
      request.signal?.throwIfAborted()
      return response
    },
    watch: (request) => api.watch(request),
    close: async () => {},
  }
}

const runs = (acts: readonly string[]) => acts.filter((identity, at) => identity !== acts[at - 1])

describe('leader election', () => {
  test('a renewal that was under way when it stopped does not keep the lease', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const stop = { now: () => {} }
    const cutOff = cutOffAt('PUT', api, stop)
    const one = candidate({ identity: 'a', clock, transport: cutOff, acts: [] })
    await clock.advance(1_000)
    expect(holder(api)).toBe('a')
    stop.now = () => {
      stop.now = () => {}
      one.stop()
    }
    await clock.advance(5_000)
    await one.ended
    expect(holder(api)).toBe('')
  })

  test('a claim that is cut off by the stop is given back, although it never led', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const stop = { now: () => {} }
    const cutOff = cutOffAt('POST', api, stop)
    const acts: string[] = []
    const one = candidate({ identity: 'a', clock, transport: cutOff, acts })
    stop.now = () => one.stop()
    await clock.advance(5_000)
    await one.ended
    expect(acts).toEqual([])
    expect(api.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'PUT'])
    expect(holder(api)).toBe('')
  })

  test('one leads, the other waits; on stop the lease is free at once', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const acts: string[] = []
    const first = candidate({ identity: 'first', clock, transport: api, acts })
    await clock.advance(100)
    const second = candidate({ identity: 'second', clock, transport: api, acts })
    await clock.advance(60_000)
    expect(runs(acts)).toEqual(['first'])
    first.stop()
    await clock.advance(2_500)
    await first.ended
    expect(runs(acts)).toEqual(['first', 'second'])
    expect(holder(api)).toBe('second')
    second.stop()
    await clock.advance(2_500)
    expect(holder(api)).toBe('')
  })

  test('a holder that cannot renew stops 10 s after its last renewal, the other starts 15 s after it', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const transport = cuttable(api)
    const acts: string[] = []
    const times = new Map<string, number>()
    const note = Object.assign(acts, {
      push: (identity: string) => {
        if (!transport.isCut || identity === 'second')
          times.set(`${identity} began`, times.get(`${identity} began`) ?? clock.monotonicMs())
        times.set(`${identity} last`, clock.monotonicMs())
        return 0
      },
    })
    const first = candidate({ identity: 'first', clock, transport, acts: note })
    await clock.advance(100)
    const second = candidate({ identity: 'second', clock, transport: api, acts: note })
    await clock.advance(5_000)
    transport.isCut = true
    const cutMs = clock.monotonicMs()
    await clock.advance(30_000)
    const stoppedMs = times.get('first last') ?? Number.NaN
    const startedMs = times.get('second began') ?? Number.NaN
    expect(stoppedMs).toBeGreaterThan(cutMs + 6_000)
    expect(stoppedMs).toBeLessThanOrEqual(cutMs + 10_000)
    expect(startedMs).toBeGreaterThan(stoppedMs + 3_000)
    expect(startedMs).toBeLessThan(cutMs + 18_000)
    first.stop()
    second.stop()
  })

  test('renews with one request each, every two seconds', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const only = candidate({ identity: 'only', clock, transport: api, acts: [] })
    await clock.advance(10_000)
    api.requests.length = 0
    await clock.advance(60_000)
    expect(new Set(api.requests.map(({ method }) => method))).toEqual(new Set(['PUT']))
    expect(api.requests.length).toBeGreaterThanOrEqual(27)
    expect(api.requests.length).toBeLessThanOrEqual(31)
    only.stop()
  })

  test('a renewal whose reply was lost does not cost the turn', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const acts: string[] = []
    const only = candidate({ identity: 'only', clock, transport: api, acts })
    await clock.advance(5_000)
    let lost = 0
    api.fault = ({ method }) => (method === 'PUT' && lost++ === 0 ? 'lostReply' : undefined)
    const before = acts.length
    await clock.advance(20_000)
    expect(acts.length - before).toBeGreaterThanOrEqual(199)
    only.stop()
  })

  test('a clock that jumps, as after the sleep of a machine, ends the turn at once', async () => {
    const clock = new VirtualClock()
    let sleptMs = 0
    const wall: Clock = {
      nowMs: () => clock.nowMs() + sleptMs,
      monotonicMs: () => clock.monotonicMs(),
      timer: (delayMs, call) => clock.timer(delayMs, call),
    }
    const only = candidate({ identity: 'only', clock: wall, transport: new FakeApi(), acts: [] })
    await clock.advance(3_000)
    expect(only.election.isLeading()).toBe(true)
    sleptMs = 20_000
    expect(only.election.isLeading()).toBe(false)
    only.stop()
  })

  test('is not led when the lease may not be written', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    api.fault = () => failure(403, 'Forbidden', 'leases is forbidden')
    const acts: string[] = []
    const only = candidate({ identity: 'only', clock, transport: api, acts })
    await clock.advance(60_000)
    expect(acts).toEqual([])
    only.stop()
    await clock.advance(10_000)
    await only.ended
  })

  test('who waits knows whether another leads: from its second look on, and until a lease after its last renewal', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const first = candidate({ identity: 'a', clock, transport: api, acts: [] })
    await clock.advance(1_000)
    const second = candidate({ identity: 'b', clock, transport: api, acts: [] })
    await clock.advance(0)
    expect([first.election.isLedByAnother(), second.election.isLedByAnother()]).toEqual([false, false])
    await clock.advance(5_000)
    expect([first.election.isLedByAnother(), second.election.isLedByAnother()]).toEqual([false, true])
    first.stop()
    await clock.advance(5_000)
    expect(second.election.isLeading()).toBe(true)
    expect(second.election.isLedByAnother()).toBe(false)
    second.stop()
    await clock.advance(5_000)
    await Promise.all([first.ended, second.ended])
  })

  test('a lease that a dead holder left is nobody who leads', async () => {
    const clock = new VirtualClock()
    const api = new FakeApi()
    const transport = cuttable(api)
    const dead = candidate({ identity: 'a', clock, transport, acts: [] })
    await clock.advance(1_000)
    transport.isCut = true
    const next = candidate({ identity: 'b', clock, transport: api, acts: [] })
    for (let passedMs = 0; passedMs < 14_000; passedMs += 1_000) {
      await clock.advance(1_000)
      expect(next.election.isLedByAnother()).toBe(false)
    }
    dead.stop()
    next.stop()
    await clock.advance(10_000)
    await Promise.all([dead.ended, next.ended])
  })

  test('what lead throws comes out of run', async () => {
    const clock = new VirtualClock()
    const election = new LeaderElection({
      kube: buildKube(new FakeApi(), clock),
      clock,
      random: seededRandom(1),
      log: silentLog,
      namespace: 'lifeboat',
      name: 'leader',
      identity: 'only',
    })
    const ended = election.run(new AbortController().signal, async () => {
      throw new Error('a bug')
    })
    await Promise.all([expect(ended).rejects.toThrow('a bug'), clock.advance(5_000)])
  })

  test('whatever the network does, three seconds lie between the last act of one and the first of another', async () => {
    const cuts = fc.array(
      fc.record({ who: fc.integer({ min: 0, max: 2 }), afterMs: fc.integer({ min: 1, max: 12_000 }) }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(cuts, async (script) => {
        const clock = new VirtualClock()
        const api = new FakeApi()
        const transports = [cuttable(api), cuttable(api), cuttable(api)]
        const log: { identity: string; atMs: number }[] = []
        const candidates = transports.map((transport, at) => {
          const acts = Object.assign([] as string[], {
            push: (identity: string) => log.push({ identity, atMs: clock.monotonicMs() }),
          })
          return candidate({ identity: `c${at}`, clock, transport, acts })
        })
        for (const { who, afterMs } of script) {
          await clock.advance(afterMs)
          const transport = transports[who]
          if (transport !== undefined) transport.isCut = !transport.isCut
        }
        for (const transport of transports) transport.isCut = false
        await clock.advance(40_000)
        const lastMs = log.at(-1)?.atMs ?? 0
        expect(lastMs).toBeGreaterThan(clock.monotonicMs() - 1_000)
        for (const [at, act] of log.entries()) {
          const previous = log[at - 1]
          if (previous !== undefined && previous.identity !== act.identity) {
            expect(act.atMs - previous.atMs).toBeGreaterThan(3_000)
          }
        }
        for (const { stop } of candidates) stop()
        await clock.advance(30_000)
      }),
      { numRuns: 40 },
    )
  })
})
