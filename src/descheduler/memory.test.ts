import { describe, expect, test } from 'vitest'
import { nowMs, podView } from '../../test/build/descheduler-view.ts'
import {
  emptyMemory,
  leftAlone,
  parseMemory,
  pruned,
  renderMemory,
  sameMemory,
  withDepartures,
  withWithdrawal,
} from './memory.ts'

const minute = 60_000
const first = podView({ name: 'first', createdMs: nowMs - 60 * minute })
const next = (name: string, createdMs: number, nodeName = 'n1') => podView({ name, createdMs, nodeName })

describe('a pod that comes back to the node that the one before it left', () => {
  const left = withDepartures(emptyMemory, [first], nowMs)

  test.each([
    { name: 'is left alone for a while', pod: next('b', nowMs + 5_000), expected: nowMs + 5_000 + 10 * minute },
    { name: 'on another node is not', pod: next('b', nowMs + 5_000, 'n2'), expected: undefined },
    { name: 'was there before: it is not', pod: next('b', nowMs - 5_000), expected: undefined },
    { name: 'came in the same second', pod: next('b', nowMs), expected: nowMs + 10 * minute },
    {
      name: 'of another owner is not',
      pod: podView({ name: 'b', createdMs: nowMs + 1, owners: [] }),
      expected: undefined,
    },
  ])('$name', ({ pod, expected }) => {
    expect(leftAlone(left, { pods: [pod] }, 10 * minute).get(pod.uid)).toBe(expected)
    expect(leftAlone(left, { pods: [pod] }, undefined).size).toBe(0)
  })

  test('is left alone twice as long each time, and at most a day', () => {
    let memory = left
    let atMs = nowMs
    const patience: number[] = []
    for (let returns = 1; returns <= 9; returns++) {
      const back = next(`back-${returns}`, atMs + 1_000)
      const untilMs = leftAlone(memory, { pods: [back] }, 10 * minute).get(back.uid) ?? 0
      patience.push((untilMs - back.createdMs) / minute)
      atMs = untilMs
      memory = withDepartures(memory, [back], atMs)
    }
    expect(patience).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 1_440])
  })

  test('one that had been there all the time begins at the beginning', () => {
    const again = withDepartures(left, [next('older', nowMs - minute)], nowMs + minute)
    expect([...again.departures.values()]).toEqual([{ atMs: nowMs + minute, times: 1 }])
  })
})

test('what is too old, or about pods that are gone, is forgotten', () => {
  const memory = withWithdrawal(
    withWithdrawal(withDepartures(emptyMemory, [first], nowMs), 'gone-uid', nowMs),
    first.uid,
    nowMs,
  )
  const soon = pruned(memory, { pods: [first] }, nowMs + minute)
  expect([...soon.withdrawnMs.keys()]).toEqual([first.uid])
  expect(soon.departures.size).toBe(1)
  expect(pruned(memory, { pods: [] }, nowMs + 48 * 60 * minute)).toEqual(emptyMemory)
})

test('no more is kept than fits, the youngest', () => {
  const pods = Array.from({ length: 2_100 }, (_, index) => podView({ name: `p${index}`, nodeName: `n${index}` }))
  const memory = withDepartures(emptyMemory, pods, nowMs)
  const kept = pruned(memory, { pods }, nowMs)
  expect(kept.departures.size).toBe(2_000)
  expect([...kept.departures.keys()][0]).toBe('web-uid n100')
  expect(renderMemory(kept).length).toBeLessThan(500_000)
})

test('of very many promises, too, the youngest are kept', () => {
  const promisedMs = new Map(Array.from({ length: 8_100 }, (_, index) => [`p${index}-uid`, nowMs]))
  const kept = pruned({ ...emptyMemory, promisedMs }, { pods: [] }, nowMs)
  expect(kept.promisedMs.size).toBe(8_000)
  expect([...kept.promisedMs][0]).toEqual(['p100-uid', nowMs])
})

test('it survives being written down, and nonsense is no memory', () => {
  const promisedMs = new Map([[first.uid, nowMs]])
  const memory = withWithdrawal(withDepartures({ ...emptyMemory, promisedMs }, [first], nowMs), 'a', nowMs)
  expect(parseMemory(renderMemory(memory)).promisedMs).toEqual(promisedMs)
  expect(sameMemory(parseMemory(renderMemory(memory)), memory)).toBe(true)
  for (const text of [undefined, '', 'x', '[]', '{"departures":[["a",{"atMs":"x"}],[1,2],3],"withdrawnMs":{}}'])
    expect(parseMemory(text)).toEqual(emptyMemory)
})
