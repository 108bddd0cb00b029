import { stripVTControlCharacters } from 'node:util'
import { array, assert, boolean, constantFrom, integer, nat, property, record, string } from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { buildDrainView } from '../../../test/build/drain-view.ts'
import { drainPicture, type DrainPicture } from './drain-picture.ts'
import { renderPicture } from './render-picture.ts'

const budget = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
const plain = { columns: 80, rows: 24, color: false }

function smallDrain(): DrainPicture {
  const history = new Map([['node-1', { left: 2, gone: 2, isDrained: false, drainedAtMs: undefined }]])
  const view = buildDrainView({
    name: 'drain-node-1-and-2-more',
    reason: 'OS upgrade',
    looks: [{ name: 'node-1', evacuating: 2 }, { name: 'node-2', pending: 3, evacuating: 1 }, { name: 'node-3' }],
    evacuations: [
      { pod: 'cart-7', node: 'node-1', blocker: budget, expectedAtMs: 100_000 },
      { pod: 'web-1', node: 'node-2', expectedAtMs: 102_000 },
    ],
    view: { history },
  })
  return drainPicture(view, 62_000)
}

test('80 columns have a line for each node, the blocked one on top, and what it needs below', () => {
  expect(renderPicture(smallDrain(), { ...plain, hint: 'Ctrl-C leaves it running.' })).toEqual([
    'drain-node-1-and-2-more  Drain  OS upgrade',
    '1/3 nodes drained  2/8 pods gone  1 blocked  1m2s  expected in >40s',
    'node-1  █████░░░░░  2/4  shop/cart-7 waits for budget cart (1 he…  1m2s  in >38s',
    'node-2  ░░░░░░░░░░  0/4  1 on the way, 3 to come                   1m2s  in >40s',
    'node-3  ██████████       drained',
    '1 pod needs help:',
    '  shop/cart-7 waits for budget cart (1 healthy, 2 needed) (node-1)',
    '    what helps: one more healthy pod under budget cart, or a budget that asks',
    '    for fewer',
    'Ctrl-C leaves it running.',
  ])
})

test('200 columns have longer bars and room for the reason', () => {
  const [, , node] = renderPicture(smallDrain(), { ...plain, columns: 200, rows: 50 })
  expect(node).toContain('██████████░░░░░░░░░░')
  expect(node).toContain('shop/cart-7 waits for budget cart (1 healthy, 2 needed)')
})

test.each([
  { columns: 40, expected: 'node-1  2/4  shop/cart-7 waits for budg…' },
  { columns: 20, expected: 'node-1  shop/cart-7…' },
  { columns: 10, expected: 'node-1' },
])('$columns columns leave out what does not fit', ({ columns, expected }) => {
  expect(renderPicture(smallDrain(), { ...plain, columns })[2]?.slice(0, expected.length)).toBe(expected)
})

test('what a pod waits for is never left in the middle without a sign', () => {
  const message = 'a quota that is used up, '.repeat(8).trim()
  const view = buildDrainView({
    looks: Array.from({ length: 20 }, (_, index) => ({ name: `node-${index}`, evacuating: 1 })),
    evacuations: [{ pod: 'cart-7', node: 'node-1', blocker: { kind: 'admission', message } }],
  })
  const lines = renderPicture(drainPicture(view, 0), { columns: 60, rows: 12, color: false })
  expect(lines.slice(-3)).toEqual([
    '1 pod needs help:',
    expect.stringMatching(/^ {2}shop\/cart-7 may not be evicted .*…$/),
    expect.stringMatching(/^ {4}what helps: change the webhook or policy .*…$/),
  ])
})

test('200 nodes do not flood it: the worst have lines, the rest one together', () => {
  const looks = Array.from({ length: 200 }, (_, index) => ({ name: `node-${index}`, pending: index < 150 ? 2 : 0 }))
  const lines = renderPicture(drainPicture(buildDrainView({ looks }), 0), { ...plain, hint: 'hint' })
  expect(lines).toHaveLength(24)
  expect(lines.at(-2)).toBe('… and 180 more: 130 waiting, 50 drained; 260 pods left')
})

test('who began to look in the middle says so', () => {
  const view = buildDrainView({ looks: [{ name: 'node-1', pending: 1 }], view: { sinceMs: 60_000 } })
  expect(renderPicture(drainPicture(view, 61_000), plain)[0]).toBe(
    'drain-a  Drain  (pods counted since this view began)',
  )
})

test('trouble with the connection has a line', () => {
  const view = buildDrainView({ looks: [{ name: 'node-1', pending: 1 }], view: { trouble: 'no answer' } })
  expect(renderPicture(drainPicture(view, 0), plain)[2]).toBe('no answer')
})

test('color is there if it is wanted, and never changes the text', () => {
  const colored = renderPicture(smallDrain(), { ...plain, color: true })
  expect(colored.join('\n')).toContain('\u001B[')
  expect(colored.map((line) => stripVTControlCharacters(line))).toEqual(renderPicture(smallDrain(), plain))
})

describe('whatever the drain and the terminal', () => {
  const node = record({
    name: string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    pending: nat(3),
    evacuating: nat(300),
    message: constantFrom('Evacuating', 'Waiting for 日本語.', 'x'.repeat(300)),
  })
  const size = record({ columns: integer({ min: 1, max: 220 }), rows: integer({ min: 1, max: 60 }), color: boolean() })
  const drain = record({ looks: array(node, { maxLength: 80 }), blocked: nat(5), hint: boolean(), trouble: boolean() })

  test('no line is wider than the columns, there are no more lines than rows, and every node counts once', () => {
    assert(
      property(drain, size, ({ looks, blocked, hint, trouble }, terminal) => {
        const unique = looks.map((each, index) => ({ ...each, name: `${index}-${each.name}` }))
        const evacuations = unique
          .slice(0, blocked)
          .map(({ name }) => ({ pod: 'cart-7', node: name, blocker: budget, expectedAtMs: 5_000 }))
        const view = buildDrainView({ looks: unique, evacuations, view: trouble ? { trouble: 'no answer' } : {} })
        const picture = drainPicture(view, 0)
        const lines = renderPicture(picture, { ...terminal, ...(hint ? { hint: 'Ctrl-C leaves it running.' } : {}) })
        expect(lines.length).toBeLessThanOrEqual(terminal.rows)
        const shown = lines.map((line) => stripVTControlCharacters(line))
        for (const line of shown) expect(stringWidth(line)).toBeLessThanOrEqual(terminal.columns)
        expect(picture.nodes).toHaveLength(unique.length)
        if (terminal.columns < 20 || terminal.rows < 3) return
        const own = shown.filter((line) => /^\d+-/.test(line)).length
        const rest = Number(/^… and (\d+) more/m.exec(shown.join('\n'))?.[1] ?? 0)
        expect(own + rest).toBe(unique.length)
      }),
    )
  })
})
