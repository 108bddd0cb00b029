import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { buildDrainView } from '../../../test/build/drain-view.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { drainPicture } from './drain-picture.ts'
import { drainScene, LiveView } from './live-view.ts'

function openScreen(options: { readonly isTerminal: boolean; readonly rows?: number }) {
  const clock = new VirtualClock()
  const writes: string[] = []
  let pending = 3
  const terminal = {
    isTerminal: options.isTerminal,
    color: false,
    columns: () => 60,
    rows: () => options.rows ?? 10,
    write: (text: string) => void writes.push(text),
  }
  const looks = () => [{ name: 'node-1', pending }]
  const startMs = clock.nowMs()
  const scene = drainScene(
    (nowMs) => drainPicture(buildDrainView({ looks: looks(), beganMs: startMs, view: { sinceMs: startMs } }), nowMs),
    'Ctrl-C leaves it running.',
  )
  const view = new LiveView({ terminal, clock, scene })
  return {
    clock,
    writes,
    view,
    text: () => stripVTControlCharacters(writes.join('')),
    become: (next: number) => {
      pending = next
      view.changed()
    },
  }
}

test('on a terminal it is drawn at once, then in place as time goes on', async () => {
  const { clock, writes, text, view } = openScreen({ isTerminal: true })
  expect(text()).toContain('0/1 node drained  0/3 pods gone  0s\n')
  expect(text()).toContain('Ctrl-C leaves it running.')
  const before = writes.length
  await clock.advance(1_000)
  expect(writes.length).toBeGreaterThan(before)
  expect(writes.slice(before).join('')).toContain('\u001B[')
  view[Symbol.dispose]()
})

test('however often something changes, it is drawn some times a second', async () => {
  const { clock, writes, become, view } = openScreen({ isTerminal: true })
  const before = writes.length
  for (let index = 0; index < 100; index++) {
    become(index)
    await clock.advance(10)
  }
  expect(writes.length - before).toBeGreaterThan(5)
  expect(writes.length - before).toBeLessThanOrEqual(11)
  view[Symbol.dispose]()
})

test('it never needs more rows than there are, the one of the cursor among them', () => {
  const { text, view } = openScreen({ isTerminal: true, rows: 3 })
  expect(text().split('\n')).toEqual(['drain-a  Drain', expect.stringContaining('0/1 node drained'), ''])
  view[Symbol.dispose]()
})

test('elsewhere there are plain lines for what changed', async () => {
  const { clock, writes, become, view } = openScreen({ isTerminal: false })
  expect(writes).toEqual(['[0s] drain-a: 0/1 node drained, 0/3 pods gone, 0s\n', '[0s] node-1: 0/3 gone, 3 to come\n'])
  await clock.advance(3_000)
  become(2)
  await clock.advance(2_000)
  expect(writes.slice(2)).toEqual(['[3s] node-1: 0/2 gone, 2 to come\n'])
  view[Symbol.dispose]()
})

test('the end shows the last state, and no more', async () => {
  const { clock, writes, become, view } = openScreen({ isTerminal: false })
  await clock.advance(1_500)
  become(0)
  view[Symbol.dispose]()
  expect(writes.at(-1)).toBe('[1s] node-1: drained\n')
  const after = writes.length
  await clock.advance(120_000)
  expect(writes).toHaveLength(after)
})

test('what takes long to draw is drawn less often', () => {
  let nowMs = 0
  const delays: number[] = []
  const timer = (delayMs: number) => {
    delays.push(delayMs)
    return { [Symbol.dispose]: () => {} }
  }
  const frame = () => {
    nowMs += 50
    return ['']
  }
  const terminal = { isTerminal: true, color: false, columns: () => 80, rows: () => 24, write: () => {} }
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, timer }
  using view = new LiveView({ terminal, clock, scene: { frame, newLines: () => [] } })
  view.changed()
  expect(delays).toEqual([1_000, 450])
})
