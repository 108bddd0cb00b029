import { expect, test } from 'vitest'
import { terminalOf } from './terminal.ts'

const stream = (isTTY: boolean, size: { columns?: number; rows?: number } = {}) => ({
  isTTY,
  ...size,
  write: () => true,
})

test.each([
  { name: 'a terminal has color', isTTY: true, environment: {}, expected: { isTerminal: true, color: true } },
  { name: 'a pipe has none', isTTY: false, environment: {}, expected: { isTerminal: false, color: false } },
  {
    name: 'NO_COLOR takes it away',
    isTTY: true,
    environment: { NO_COLOR: '1' },
    expected: { isTerminal: true, color: false },
  },
  { name: 'an empty NO_COLOR does not', isTTY: true, environment: { NO_COLOR: '' }, expected: { color: true } },
  {
    name: 'FORCE_COLOR gives it to a pipe',
    isTTY: false,
    environment: { FORCE_COLOR: '1' },
    expected: { isTerminal: false, color: true },
  },
  { name: 'FORCE_COLOR=0 takes it away', isTTY: true, environment: { FORCE_COLOR: '0' }, expected: { color: false } },
  { name: 'NO_COLOR wins', isTTY: true, environment: { NO_COLOR: '1', FORCE_COLOR: '1' }, expected: { color: false } },
  {
    name: 'a dumb terminal is as a pipe',
    isTTY: true,
    environment: { TERM: 'dumb' },
    expected: { isTerminal: false, color: false },
  },
])('$name', ({ isTTY, environment, expected }) => {
  expect(terminalOf(stream(isTTY), environment)).toMatchObject(expected)
})

test('its size is that of the moment, and a usual one where it does not know', () => {
  const size = { isTTY: true, columns: 120, rows: 30, write: () => true }
  const terminal = terminalOf(size, {})
  expect([terminal.columns(), terminal.rows()]).toEqual([120, 30])
  size.columns = 60
  expect(terminal.columns()).toBe(60)
  const unknown = terminalOf(stream(true, { columns: 0 }), {})
  expect([unknown.columns(), unknown.rows()]).toEqual([80, 24])
})
