import { assert, property, nat, string } from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cutToWidth, fitToWidth, wrapToWidth } from './fit-to-width.ts'

const anyText = string({ unit: 'grapheme' })

test.each([
  ['', 0],
  ['node-1', 6],
  ['日本', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['👩‍👩‍👧', 2],
  ['█░', 2],
  ['…', 1],
  ['a\u200Bb', 2],
])('%s is %i wide', (text, expected) => expect(stringWidth(text)).toBe(expected))

test.each([
  { text: 'node-1', width: 6, expected: 'node-1' },
  { text: 'node-1', width: 5, expected: 'node…' },
  { text: 'node 1', width: 6, expected: 'node 1' },
  { text: 'node 12', width: 6, expected: 'node…' },
  { text: '日本語', width: 4, expected: '日…' },
  { text: '日本語', width: 1, expected: '…' },
  { text: 'x', width: 0, expected: '' },
])('$text in $width columns is "$expected"', ({ text, width, expected }) => {
  expect(cutToWidth(text, width)).toBe(expected)
})

describe('whatever the text', () => {
  test('a cut fits, and what fits is not cut', () => {
    assert(
      property(anyText, nat(30), (text, width) => {
        const cut = cutToWidth(text, width)
        expect(stringWidth(cut)).toBeLessThanOrEqual(width)
        if (stringWidth(text) <= width) expect(cut).toBe(text)
      }),
    )
  })

  test('what is fitted is exactly that wide', () => {
    assert(
      property(anyText, nat(30), (text, width) => {
        expect(stringWidth(fitToWidth(text, width))).toBe(width)
        expect(stringWidth(fitToWidth(text, width, 'right'))).toBe(width)
      }),
    )
  })

  test('wrapped lines fit, and are as many as allowed', () => {
    assert(
      property(anyText, nat(30), nat(5), (text, width, lines) => {
        const wrapped = wrapToWidth(text, width, lines + 1)
        expect(wrapped.length).toBeLessThanOrEqual(lines + 1)
        for (const line of wrapped) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

test('words stay whole while there is room, and the end says that something is missing', () => {
  expect(wrapToWidth('waits for budget cart', 10, 3)).toEqual(['waits for', 'budget', 'cart'])
  expect(wrapToWidth('waits for budget cart', 10, 2)).toEqual(['waits for', 'budget ca…'])
})

test('numbers stand at the right', () => {
  expect(fitToWidth('1/3', 5, 'right')).toBe('  1/3')
})
