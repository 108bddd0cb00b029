import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { wrapLines } from './wrap-lines.ts'

const terminal = (columns: number) => ({ isTerminal: true, columns: () => columns })

test.each([
  { name: 'a short line stays', line: 'waits for web', expected: ['waits for web'] },
  { name: 'an empty one too', line: '', expected: [''] },
  {
    name: 'a long one goes on below',
    line: 'waits for budget web of shop',
    expected: ['waits for budget', '  web of shop'],
  },
  { name: 'indented as it began', line: '  next: nothing to do now', expected: ['  next: nothing to', '    do now'] },
  {
    name: 'a word without end is left whole',
    line: 'a '.concat('b'.repeat(30)),
    expected: ['a', `  ${'b'.repeat(30)}`],
  },
  {
    name: 'a command is left whole',
    line: '      kubectl -n shop describe pod web-0',
    expected: ['      kubectl -n shop describe pod web-0'],
  },
  {
    name: 'behind a prompt too',
    line: '$ lifeboat drain node-1 node-2 node-3',
    expected: ['$ lifeboat drain node-1 node-2 node-3'],
  },
])('$name', ({ line, expected }) => {
  expect(wrapLines([line], terminal(18))).toEqual(expected)
})

test('nothing is wrapped on its way to a file', () => {
  const line = 'word '.repeat(100)
  expect(wrapLines([line], { isTerminal: false, columns: () => 18 })).toEqual([line])
})

test('no word is lost, and lines of short words fit', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 80 }), (list, columns) => {
      const lines = wrapLines([list.join(' ')], terminal(columns))
      expect(lines.join(' ').split(/ +/)).toEqual(list)
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    }),
  )
})
