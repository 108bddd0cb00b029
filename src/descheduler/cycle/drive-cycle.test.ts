import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { Clock } from '../../runtime/clock.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { Asked } from '../asking.ts'
import type { Answer, Cycle } from './cycle.ts'
import { driveCycle } from './drive-cycle.ts'
import { breath } from '../plugin.ts'

const strategy = { profile: 'p', strategy: 'PodLifeTime' } as const
const pods = ['a', 'b', 'c'].map((name) => podView({ name }))

function* cycleOf(answers: (Answer | undefined)[]): Cycle {
  yield { kind: 'begins', ...strategy }
  for (const pod of pods) {
    yield breath
    answers.push(yield { kind: 'asks', pod, ...strategy })
  }
  return { strategies: [] }
}

test('asks for each pod and tells the cycle what became of it', async () => {
  const clock = new VirtualClock()
  const answers: (Answer | undefined)[] = []
  const outcomes: Record<string, Asked> = {
    a: { kind: 'requested' },
    b: { kind: 'refused', reason: 'a budget' },
    c: { kind: 'promised' },
  }
  const seen: string[] = []
  const report = await driveCycle(cycleOf(answers), {
    asking: { ask: async ({ name }) => outcomes[name] ?? { kind: 'requested' } },
    clock,
    turn: async () => {},
    signal: new AbortController().signal,
    onAsked: ({ name }, _strategy, asked) => seen.push(`${name} ${asked.kind}`),
    onEnded: ({ profile, strategy: name }) => seen.push(`${profile}/${name} ended`),
  })
  expect(report).toEqual({ strategies: [] })
  expect(answers).toEqual([{ kind: 'requested' }, outcomes['b'], { kind: 'requested' }])
  expect(seen).toEqual(['a requested', 'b refused', 'c promised', 'p/PodLifeTime ended'])
})

test('takes a breath only when it has computed for a while', async () => {
  let nowMs = 0
  let turns = 0
  // oxlint-disable-next-line consistent-function-scoping -- it counts
  function* long(): Cycle {
    for (let step = 0; step < 100; step++) {
      nowMs++
      yield breath
    }
    return { strategies: [] }
  }
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, timer: () => ({ [Symbol.dispose]: () => {} }) }
  await driveCycle(long(), {
    asking: { ask: () => Promise.reject(new Error('nobody asks')) },
    clock,
    turn: async () => void turns++,
    signal: new AbortController().signal,
  })
  expect(turns).toBe(10)
})

test('stops where it is when it is told to', async () => {
  const stop = new AbortController()
  const asked: string[] = []
  const driving = driveCycle(cycleOf([]), {
    asking: {
      ask: async ({ name }) => {
        asked.push(name)
        stop.abort(new Error('it ends'))
        return { kind: 'requested' }
      },
    },
    clock: new VirtualClock(),
    turn: async () => {},
    signal: stop.signal,
  })
  await expect(driving).rejects.toThrow('it ends')
  expect(asked).toEqual(['a'])
})
