import { expect, test } from 'vitest'
import { PlayedLogind } from '../../../test/build/played-logind.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { renderBudget } from './settle-budget.ts'
import { ShutdownKeeper } from './shutdown-keeper.ts'

const { signal } = new AbortController()
const nobody = { written: undefined, mayGo: undefined }

function open(played = new PlayedLogind()) {
  const clock = new VirtualClock()
  const lines: string[] = []
  const tell = (_fields: object, message: string) => void lines.push(message)
  const log = { ...silentLog, info: tell, warn: tell, error: tell }
  const keeper = new ShutdownKeeper({
    logind: played,
    lock: played.lock,
    file: played.file,
    clock,
    random: seededRandom(1),
    log,
    bootID: 'boot',
    settings: { leadTimeMs: 3_600_000, budgetWantedMs: 1_800_000 },
  })
  return { keeper, played, clock, lines }
}

test('asks for the budget at the first look, and never again', async () => {
  const { keeper, played } = open()
  expect((await keeper.look(nobody, signal)).report).toMatchObject({ budgetSeconds: 1_800, problems: [] })
  await keeper.look(nobody, signal)
  expect([played.text, played.reloads]).toEqual([renderBudget(1_800_000), 1])
})

test('asks for the budget before there is an API server', async () => {
  const { keeper, played } = open()
  played.isAway = true
  await keeper.prepare(signal)
  played.isAway = false
  await keeper.prepare(signal)
  expect(played.state.budgetMs).toBe(1_800_000)
})

test('asks for the budget when logind first answers', async () => {
  const { keeper, played } = open()
  played.isAway = true
  expect((await keeper.look(nobody, signal)).report.problems).toMatchObject([{ kind: 'noLogind' }])
  played.isAway = false
  expect((await keeper.look(nobody, signal)).report).toMatchObject({ mode: 'Prefer', budgetSeconds: 1_800 })
})

test('leaves the budget alone during a shutdown, which has begun with another', async () => {
  const { keeper, played } = open()
  played.say({ preparing: true })
  expect((await keeper.look(nobody, signal)).report.problems).toMatchObject([{ kind: 'shortBudget' }])
  expect(played.reloads).toBe(0)
})

test('a budget that cannot be had is a problem, and nothing more', async () => {
  const { keeper, played, lines } = open()
  played.file.write = () => Promise.reject(new Error('EROFS'))
  expect((await keeper.look(nobody, signal)).report.problems).toMatchObject([{ kind: 'shortBudget' }])
  expect(lines).toContain('cannot set for how long logind delays a shutdown')
})

test('keeps the id of a shutdown though the mailbox does not show it yet', async () => {
  const { keeper, played, clock } = open()
  played.say({ preparing: true })
  const first = await keeper.look(nobody, signal)
  await clock.advance(5_000)
  expect((await keeper.look(nobody, signal)).report.going).toEqual(first.report.going)
})

test('a keeper that starts again finds the id in the mailbox, and lets go when it may', async () => {
  const before = open()
  before.played.say({ preparing: true })
  const { report: written } = await before.keeper.look(nobody, signal)
  const { keeper, played } = open(before.played)
  await keeper.look({ written, mayGo: undefined }, signal)
  expect(played.released).toBe(0)
  await keeper.look({ written, mayGo: written.going?.id }, signal)
  await keeper.look({ written, mayGo: written.going?.id }, signal)
  expect(played.released).toBe(1)
})

test('tries again in a moment to let go of the lock', async () => {
  const { keeper, played, clock, lines } = open()
  played.say({ preparing: true })
  const { report: written } = await keeper.look(nobody, signal)
  played.lock.end = () => Promise.reject(new Error('EPERM'))
  const { lookAtMs } = await keeper.look({ written, mayGo: written.going?.id }, signal)
  expect(lookAtMs - clock.nowMs()).toBe(1_000)
  expect(lines).toContain('cannot let go of the lock')
})

test('says once what happens, in order', async () => {
  const { keeper, played, clock, lines } = open()
  const look = async () => {
    await keeper.look(nobody, signal)
    await keeper.look(nobody, signal)
  }
  await look()
  played.say({ scheduled: { action: 'reboot', atMs: clock.nowMs() + 60_000 } })
  await look()
  played.say({ preparing: true })
  await look()
  played.say({ preparing: false, scheduled: undefined })
  await look()
  expect(lines).toEqual(['a shutdown is scheduled', 'the machine is about to go down', 'the shutdown is off'])
})

test('a look that is aborted says nothing', async () => {
  const { keeper, played } = open()
  const stop = new AbortController()
  played.read = () => {
    stop.abort(new Error('it ends'))
    return Promise.reject(new Error('killed'))
  }
  await expect(keeper.look(nobody, stop.signal)).rejects.toThrow('it ends')
})

test('follows a bus that comes and goes, and looks again each time', async () => {
  const { keeper, played, clock } = open()
  const stop = new AbortController()
  let notices = 0
  const following = keeper.follow(() => notices++, stop.signal)
  await clock.advance(60_000)
  expect([played.followers, notices]).toEqual([1, 0])
  played.goAway()
  await clock.advance(120_000)
  // Never more often than it looks anyway, once the bus is away for long.
  expect(notices).toBeGreaterThan(5)
  expect(notices).toBeLessThan(20)
  played.isAway = false
  await clock.advance(20_000)
  expect(played.followers).toBe(1)
  stop.abort()
  await following
  expect(played.followers).toBe(0)
})

test('gives the budget back when it leaves; a logind that does not answer is no reason to stay', async () => {
  const { keeper, played } = open()
  await keeper.look(nobody, signal)
  await keeper.leave(signal)
  expect(played.text).toBeUndefined()
  await keeper.look(nobody, signal)
  played.text = renderBudget(1_800_000)
  played.isAway = true
  await keeper.leave(signal)
  expect(played.text).toBeUndefined()
})
