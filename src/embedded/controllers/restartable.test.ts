import { expect, test } from 'vitest'
import type { ControllerParts } from './controller.ts'
import { Restartable } from './restartable.ts'

test('all end before the first starts again, and the last ones end with it', async () => {
  const seen: string[] = []
  const named = (name: string) => () => {
    seen.push(`${name} starts`)
    return {
      [Symbol.asyncDispose]: async () => {
        seen.push(`${name} ends`)
      },
    }
  }
  {
    await using both = new Restartable({} as ControllerParts, [named('one'), named('two')])
    await both.restart()
  }
  const starts = ['one starts', 'two starts']
  const ends = ['two ends', 'one ends']
  expect(seen).toEqual([...starts, ...ends, ...starts, ...ends])
})
