import { expect, test } from 'vitest'
import { ControlLoop, Doorbell, runControlLoop, type Wake } from './control-loop.ts'
import { silentLog } from './log.ts'
import { seededRandom } from './random.ts'
import { VirtualClock } from './virtual-clock.ts'
import type { Next } from './work-queue.ts'

const settled: Next = { kind: 'settled' }

function setUp(wakes: readonly Wake[]) {
  const clock = new VirtualClock()
  const worked: string[] = []
  const reconcile = async (key: string) => {
    worked.push(key)
    return settled
  }
  const options = { name: 'drill', clock, random: seededRandom(1), log: silentLog, concurrency: 2, wakes, reconcile }
  return { clock, worked, options }
}

test('works on what its wakes name, those that were there first', async () => {
  const bell = new Doorbell()
  const there: Wake = {
    open: (add) => {
      add('there')
      return { [Symbol.dispose]: () => {} }
    },
  }
  const { clock, worked, options } = setUp([there, bell])
  await using loop = new ControlLoop(options)
  bell.ring('rung')
  loop.add('added')
  loop.addAfter('later', 500)
  await clock.advance(0)
  expect(worked).toEqual(['there', 'rung', 'added'])
  await clock.advance(500)
  expect(worked).toEqual(['there', 'rung', 'added', 'later'])
})

test('ends with its signal, and closes its wakes', async () => {
  const bell = new Doorbell()
  let closed = 0
  const closing: Wake = { open: () => ({ [Symbol.dispose]: () => void closed++ }) }
  const { clock, worked, options } = setUp([bell, closing])
  const stop = new AbortController()
  const running = runControlLoop(options, stop.signal)
  bell.ring('first')
  await clock.advance(0)
  stop.abort(new Error('enough'))
  await running
  bell.ring('second')
  await clock.advance(0)
  expect({ worked, closed }).toEqual({ worked: ['first'], closed: 1 })
})
