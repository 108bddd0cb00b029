import { expect, test, vi } from 'vitest'

import { WaitingLine } from './waiting-line.ts'

test('admits in the order they came', async () => {
  const line = new WaitingLine()
  const admitted: string[] = []
  const waits = ['a', 'b', 'c'].map(async (name) => {
    await line.wait(undefined)
    admitted.push(name)
  })
  while (line.admitNext());
  await Promise.all(waits)
  expect(admitted).toEqual(['a', 'b', 'c'])
})

test('says when nobody waits', () => {
  expect(new WaitingLine().admitNext()).toBe(false)
})

test('who aborts is passed over, and the last to leave by itself is reported', async () => {
  const onEmpty = vi.fn<() => void>()
  const line = new WaitingLine(onEmpty)
  const abort = new AbortController()
  const first = line.wait(abort.signal)
  const second = line.wait(undefined)
  abort.abort(new Error('left'))
  await expect(first).rejects.toThrow('left')
  expect(line.length).toBe(1)
  expect(line.admitNext()).toBe(true)
  await second
  expect(onEmpty).not.toHaveBeenCalled()
  const last = line.wait(AbortSignal.timeout(1))
  await expect(last).rejects.toThrow('timeout')
  expect(onEmpty).toHaveBeenCalledOnce()
})

test('admitted and aborted in one turn counts as admitted', async () => {
  const line = new WaitingLine()
  const abort = new AbortController()
  const waiting = line.wait(abort.signal)
  line.admitNext()
  abort.abort(new Error('too late'))
  await expect(waiting).resolves.toBeUndefined()
})

test('a signal aborted before never enters the line', async () => {
  const line = new WaitingLine()
  await expect(line.wait(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  expect(line.length).toBe(0)
})
