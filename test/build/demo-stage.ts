import { demoObjects, shop, type DemoObject } from '../../src/cli/demo/applications.ts'
import * as embedded from '../../src/embedded/entry.ts'
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

/** The namespace, and what bears one of these names. */
export function objectsOf(...names: readonly string[]): DemoObject[] {
  const wanted = new Set([shop, ...names])
  return demoObjects().filter(({ object }) => wanted.has(object.metadata.name))
}

const limits = { stepMs: 50, patienceMs: 5 * 60_000 }

export async function openDemoStage(size: { readonly nodes?: number } = {}): Promise<DemoStage> {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const until = <T>(promise: Promise<T>) => settled(clock, promise)
  const stage = await until(openStage({ clock, random: seededRandom(1), embedded, signal: stop.signal, ...size }))
  return {
    clock,
    stage,
    stop,
    until,
    [Symbol.asyncDispose]: () => until(Promise.resolve(stage[Symbol.asyncDispose]())),
  }
}

export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const note = () => {
    state.isSettled = true
  }
  promise.then(note, note)
  for (let passedMs = 0; !state.isSettled && passedMs <= limits.patienceMs; passedMs += limits.stepMs) {
    await clock.advance(passedMs === 0 ? 0 : limits.stepMs)
  }
  if (!state.isSettled) throw new Error(`nothing happened within ${limits.patienceMs} ms of virtual time`)
  return promise
}
