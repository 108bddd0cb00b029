import { expect, test } from 'vitest'
import { silentLog, type Log } from '../runtime/log.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { runLoop } from './descheduling-loop.ts'
import { UnfollowablePolicyError } from './policy/problem.ts'

const minute = 60_000
const policyWith = (more: string) => `apiVersion: descheduler/v1alpha2\nkind: DeschedulerPolicy\n${more}\n`

/** A loop in virtual time, and everything that it does. */
class Ground {
  readonly clock = new VirtualClock()
  readonly told: string[] = []
  readonly stop = new AbortController()
  text: string
  failure: Error | undefined
  unreadable: Error | undefined
  problems: readonly string[] | undefined
  readonly running: Promise<void>

  constructor(text: string, intervalMs = 5 * minute) {
    this.text = text
    const tell = (fields: object, message: string) => void this.told.push(`${message} ${JSON.stringify(fields)}`)
    const log: Log = { ...silentLog, error: tell, warn: tell, info: tell }
    this.running = runLoop(
      {
        clock: this.clock,
        log,
        intervalMs,
        readPolicy: async () => {
          if (this.unreadable !== undefined) throw this.unreadable
          return this.text
        },
        open: async ({ limits }) => {
          if (this.failure !== undefined) throw this.failure
          this.told.push(`open ${limits.total}`)
          return {
            cycle: async () => {
              this.told.push('cycle')
              return { strategies: [] }
            },
            close: async () => void this.told.push('close'),
          }
        },
        onPolicy: (problems) => void (this.problems = problems),
        onReport: () => {},
      },
      this.stop.signal,
    )
  }

  /** What it has done since this was last asked. */
  async after(milliseconds: number): Promise<string[]> {
    await this.clock.advance(milliseconds)
    return this.told.splice(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort(new Error('it ends'))
    await this.running
  }
}

test('a cycle at once, and one every interval', async () => {
  const ground = new Ground(policyWith('maxNoOfPodsToEvictTotal: 1'))
  expect(await ground.after(0)).toEqual(['open 1', 'cycle'])
  expect(await ground.after(5 * minute - 1)).toEqual([])
  expect(await ground.after(1)).toEqual(['cycle'])
  await ground[Symbol.asyncDispose]()
  expect(ground.told).toEqual(['close'])
})

test('a policy that changed is followed from the next cycle on; one that is wrong is not', async () => {
  await using ground = new Ground(policyWith('maxNoOfPodsToEvictTotal: 1'))
  await ground.after(0)
  ground.text = policyWith('maxNoOfPodsToEvictTotal: 2')
  expect(await ground.after(5 * minute)).toEqual(['the policy changed {}', 'close', 'open 2', 'cycle'])
  ground.text = policyWith('maxNoOfPodsToEvictTotal: many')
  const [told, ...rest] = await ground.after(5 * minute)
  expect(told).toMatch(/^the policy changed and is wrong; the one before is followed on .*maxNoOfPodsToEvictTotal/)
  expect(rest).toEqual(['cycle'])
  expect(await ground.after(5 * minute)).toEqual(['cycle'])
})

test('what fails is told, and tried again', async () => {
  await using ground = new Ground(policyWith(''))
  ground.failure = new Error('the API server is gone')
  expect(await ground.after(0)).toEqual(['a cycle failed {"error":"the API server is gone"}'])
  ground.failure = undefined
  expect(await ground.after(30_000)).toEqual(['open undefined', 'cycle'])
})

test('a first policy that is wrong is told with all that is wrong', async () => {
  await using ground = new Ground(policyWith('nodeSelector: "a=(b"'))
  expect((await ground.after(0))[0]).toMatch(/^a cycle failed .*the policy is wrong: nodeSelector/)
})

test('outside of its window nothing is watched', async () => {
  const begin = new VirtualClock().nowMs()
  const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  const window = (fromMs: number, toMs: number) =>
    policyWith(`lifeboat: { window: { from: "${clockTime(fromMs)}", to: "${clockTime(toMs)}" } }`)
  await using ground = new Ground(window(begin + 12 * minute, begin + 20 * minute))
  expect(await ground.after(12 * minute - 1)).toEqual([])
  expect(await ground.after(1)).toEqual(['open undefined', 'cycle'])
  expect(await ground.after(5 * minute)).toEqual(['cycle'])
  expect(await ground.after(5 * minute)).toEqual(['close'])
})

test('what keeps the policy in the file from being followed is told, until nothing does', async () => {
  await using ground = new Ground(policyWith('maxNoOfPodsToEvictTotal: many'))
  const problemsAfter = async (change: () => void) => {
    change()
    await ground.after(5 * minute)
    return ground.problems
  }
  await ground.after(0)
  expect(ground.problems).toEqual([expect.stringContaining('maxNoOfPodsToEvictTotal')])
  expect(await problemsAfter(() => void (ground.text = policyWith('')))).toEqual([])
  // The one before is followed, and the mistake stays a mistake.
  expect(await problemsAfter(() => void (ground.text = policyWith('gracePeriodSeconds: -1')))).toHaveLength(1)
  expect(await problemsAfter(() => {})).toEqual([expect.stringContaining('gracePeriodSeconds')])
  expect(await problemsAfter(() => void (ground.unreadable = new Error('no such file')))).toHaveLength(2)
  ground.unreadable = undefined
  ground.failure = new UnfollowablePolicyError(['one', 'two'])
  expect(await problemsAfter(() => void (ground.text = policyWith('maxNoOfPodsToEvictTotal: 1')))).toEqual([
    'one',
    'two',
  ])
  // Nothing is wrong with a policy because the API server is gone.
  expect(await problemsAfter(() => void (ground.failure = new Error('the API server is gone')))).toEqual([])
  expect(await problemsAfter(() => void (ground.failure = undefined))).toEqual([])
})
