import { describe, expect, test } from 'vitest'
import type { Application } from './applications.ts'
import { newTally } from './eviction-tally.ts'
import {
  brokenPromises,
  quoted,
  renderAttempt,
  renderCluster,
  renderDamage,
  renderFigures,
  renderMended,
  renderNext,
  renderReturn,
  renderTrouble,
  seconds,
  type Figures,
  type Outcome,
} from './script.ts'

const applications: readonly Application[] = [
  { name: 'cart', wanted: 1, replicas: 1, about: '1 replica', objects: [] },
  { name: 'orders', wanted: 2, replicas: 3, about: 'StatefulSet', objects: [] },
]

function outcomeOf(extra: Partial<Outcome> = {}): Outcome {
  return {
    nodes: ['node-1'],
    elapsedMs: 6_000,
    evictions: newTally(),
    moved: new Map([
      ['cart', 1],
      ['logs', 2],
    ]),
    belowMs: new Map(),
    ...extra,
  }
}

function figuresOf(lifeboat: Partial<Outcome> = {}, ready = 12): Figures {
  const today = outcomeOf({
    evictions: { asked: 9, refused: 6, deleted: ['cart-1', 'stranger-1'] },
    belowMs: new Map([['cart', 3_900]]),
  })
  return { today, lifeboat: outcomeOf(lifeboat), daemonSets: [{ name: 'logs', ready, wanted: 12 }] }
}

describe('promises', () => {
  test.each<{ name: string; figures: Figures; expected: string[] }>([
    { name: 'kept', figures: figuresOf(), expected: [] },
    {
      name: 'an application below wanted, however short',
      figures: figuresOf({ belowMs: new Map([['orders', 3]]) }),
      expected: ['orders was below wanted for 0.1 s'],
    },
    {
      name: 'an eviction refused',
      figures: figuresOf({ evictions: { asked: 3, refused: 2, deleted: [] } }),
      expected: ['2 evictions were refused'],
    },
    {
      name: 'a budget passed over; DaemonSet pods have none',
      figures: figuresOf({ evictions: { asked: 0, refused: 0, deleted: ['cart-7', 'logs-1'] } }),
      expected: ['1 pods were deleted without asking their budgets'],
    },
    {
      name: 'a DaemonSet pod that is not back',
      figures: figuresOf({}, 11),
      expected: ['DaemonSet logs has 11 of 12 pods back'],
    },
  ])('$name', ({ figures, expected }) => {
    expect(brokenPromises(applications, figures)).toEqual(expected)
  })
})

test('the figures stand side by side', () => {
  expect(renderFigures(applications, figuresOf()).slice(2)).toEqual([
    'APPLICATION   WANTED   TODAY   LIFEBOAT   MOVED   ABOUT',
    'cart          1        3.9 s   0 s        1       1 replica',
    'orders        2 of 3   0 s     0 s        0       StatefulSet',
    '',
    '                               TODAY           LIFEBOAT',
    'nodes drained                  1               1',
    'pods moved                     1               1',
    'DaemonSet pods away and back   2               2',
    'time                           6.0 s, forced   6.0 s',
    'eviction calls                 9               0',
    'of these refused               6               0',
    'pods deleted without asking    1               0',
  ])
})

test('no line of a table is wider than a small terminal', () => {
  for (const line of [...renderFigures(applications, figuresOf()).slice(2), ...renderNext('kubectl lifeboat')]) {
    expect(line.length).toBeLessThanOrEqual(80)
  }
})

test('who was missed is named, and for how long', () => {
  const belowMs = new Map([
    ['cart', 3_900],
    ['orders', 1_000],
  ])
  expect(renderDamage(applications, belowMs)).toEqual([
    'cart was down for 3.9 s',
    'orders had fewer than 2 ready pods for 1.0 s',
  ])
  expect(renderDamage(applications, new Map())).toEqual(['No application had fewer ready pods than wanted.'])
})

test('an attempt names who refused, and only then that people force it', () => {
  const pod = { namespace: 'shop', name: 'cart-1', uid: 'uid' }
  const stuck = [{ kind: 'budget', pod, budget: 'cart', healthy: 1, needed: 1 } as const]
  expect(renderAttempt(['node-1', 'node-2'], { evicted: 4, stuck, rounds: 3 })).toEqual([
    '4 pods of node-1 and node-2 are evicted at once; their replacements start only now.',
    'refused 3 times: shop/cart-1 waits for budget cart (1 healthy, 1 needed)',
    expect.stringContaining('--disable-eviction'),
  ])
  expect(renderAttempt(['node-1'], { evicted: 4, stuck: [], rounds: 3 })).toHaveLength(1)
})

test.each([
  [0, '0 s'],
  [4, '0.1 s'],
  [2_940, '2.9 s'],
  [12_000, '12.0 s'],
])('%d ms are %s', (ms, expected) => {
  expect(seconds(ms)).toBe(expected)
})

test('the rest is said in the words of whoever called it', () => {
  expect(renderCluster({ nodes: 12, zones: 3, pods: 60 }, 3_300)).toBe(
    'A cluster of 12 nodes in 3 zones with 60 pods is up in this process, after 3.3 s.',
  )
  expect(renderTrouble('search', 'node-2', 'kubectl lifeboat')[1]).toBe('$ kubectl lifeboat why node-2')
  expect(renderMended('search')).toContain('The image of search')
  expect(renderReturn(['node-1', 'node-2'], figuresOf())).toEqual([
    'node-1, node-2 are schedulable again, and their DaemonSet pods are back: 12 of 12 logs.',
  ])
  expect(renderNext('kubectl lifeboat')[0]).toMatch(/^ {2}kubectl lifeboat cluster /)
  expect(quoted(['a', '', '  b'])).toEqual(['  a', '', '    b'])
})
