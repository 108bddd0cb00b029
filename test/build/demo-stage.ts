import { openStage, type Stage } from '../../src/cli/demo/stage.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'

/** The cluster of the demo in virtual time. */
export interface DemoStage extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly stage: Stage
  readonly stop: AbortController
  /** Lets time pass until the promise settles. */
  until<T>(promise: Promise<T>): Promise<T>
}

const limits = { stepMs: 50, patienceMs: 5 * 60_000 }

export async function openDemoStage(): Promise<DemoStage> {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const until = <T>(promise: Promise<T>) => settled(clock, promise)
  const stage = await until(openStage({ clock, random: seededRandom(1), signal: stop.signal }))
  return {
    clock,
    stage,
    stop,
    until,
    [Symbol.asyncDispose]: () => until(Promise.resolve(stage[Symbol.asyncDispose]())),
  }
}

export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const note = () => {
    isSettled = true
  }
  promise.then(note, note)
  for (let passedMs = 0; !isSettled && passedMs <= limits.patienceMs; passedMs += limits.stepMs) {
    await clock.advance(passedMs === 0 ? 0 : limits.stepMs)
  }
  if (!isSettled) throw new Error(`nothing happened within ${limits.patienceMs} ms of virtual time`)
  return promise
}
