import { describe, expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { CycleReport } from '../cycle/cycle.ts'
import { renderBriefly, renderReport, reportData } from './render-report.ts'
import type { StrategyReport } from './report.ts'

const pod = (name: string, nodeName = 'n1', namespace = 'shop') => podView({ name, nodeName, namespace })
const many = (count: number, nodeOf: (at: number) => string, prefix = 'web') =>
  Array.from({ length: count }, (_, at) => pod(`${prefix}-${at}`, nodeOf(at)))

function strategy(choices: Partial<StrategyReport> = {}): StrategyReport {
  return {
    profile: 'default',
    strategy: 'RemoveDuplicates',
    left: [],
    leaving: [],
    spared: [],
    refused: [],
    cut: [],
    failure: undefined,
    ...choices,
  }
}

const because = (reason: string, ...names: readonly string[]) => names.map((name) => ({ pod: pod(name), reason }))
const localStorage = 'it has an emptyDir or hostPath volume (PodsWithLocalStorage)'
const budget = 'budget web needs 2 healthy pods and has 1'

interface Row {
  readonly name: string
  readonly report: CycleReport
  readonly isReal?: boolean
  readonly expected: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a policy without strategies',
    report: { strategies: [] },
    expected: ['The policy enables no strategy: there is nothing to do'],
  },
  {
    name: 'a cycle that was skipped',
    report: { skipped: 'one node is ready and selected by the policy; it takes two', strategies: [] },
    expected: ['The cycle was skipped: one node is ready and selected by the policy; it takes two'],
  },
  {
    name: 'a strategy that wants no pod gone',
    report: { strategies: [strategy()] },
    expected: ['default/RemoveDuplicates: no pod would go', '', 'In all: no pod would go'],
  },
  {
    name: 'a strategy that wants no pod gone, outside a dry run',
    isReal: true,
    report: { strategies: [strategy()] },
    expected: ['default/RemoveDuplicates: no pod was asked to leave', '', 'In all: no pod was asked to leave'],
  },
  {
    name: 'who would go, node by node, the node that loses most first',
    report: { strategies: [strategy({ left: [pod('a'), pod('b', 'n2'), pod('c', 'n2', 'bank'), pod('d', 'n0')] })] },
    expected: [
      'default/RemoveDuplicates: 4 pods would go',
      '  n2: shop/b, bank/c',
      '  n0: shop/d',
      '  n1: shop/a',
      '',
      'In all: 4 pods would go from 3 nodes',
    ],
  },
  {
    name: 'who was asked to leave',
    isReal: true,
    report: { strategies: [strategy({ left: [pod('a'), pod('b')] })] },
    expected: [
      'default/RemoveDuplicates: 2 pods were asked to leave',
      '  n1: shop/a, shop/b',
      '',
      'In all: 2 pods were asked to leave 1 node',
    ],
  },
  {
    name: 'two profiles in the order in which their strategies ran',
    isReal: true,
    report: {
      strategies: [
        strategy({ strategy: 'PodLifeTime', left: [pod('a')] }),
        strategy({ profile: 'night', strategy: 'RemoveFailedPods' }),
        strategy({ left: [pod('b', 'n2')] }),
      ],
    },
    expected: [
      'default/PodLifeTime: 1 pod was asked to leave',
      '  n1: shop/a',
      '',
      'night/RemoveFailedPods: no pod was asked to leave',
      '',
      'default/RemoveDuplicates: 1 pod was asked to leave',
      '  n2: shop/b',
      '',
      'In all: 2 pods were asked to leave 2 nodes',
    ],
  },
  {
    name: 'the limit of the cycle, after which a strategy stops looking',
    report: { strategies: [strategy({ left: [pod('a')], cut: [{ pod: pod('b'), limit: 'totalLimit' }] })] },
    expected: [
      'default/RemoveDuplicates: 1 pod would go, 1 stopped by a limit',
      '  n1: shop/a',
      '  at least 1 more: maxNoOfPodsToEvictTotal is reached',
      '',
      'In all: 1 pod would go from 1 node, 1 stopped by a limit',
    ],
  },
  {
    name: 'the limit of each node that has reached it',
    report: {
      strategies: [
        strategy({
          cut: [
            { pod: pod('a', 'n2'), limit: 'nodeLimit' },
            { pod: pod('b'), limit: 'nodeLimit' },
            { pod: pod('c'), limit: 'nodeLimit' },
          ],
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod would go, 3 stopped by a limit',
      '  at least 2 more: maxNoOfPodsToEvictPerNode is reached on n1',
      '  at least 1 more: maxNoOfPodsToEvictPerNode is reached on n2',
      '',
      'In all: no pod would go, 3 stopped by a limit',
    ],
  },
  {
    name: 'the limit of a namespace, whose pods are all counted',
    report: {
      strategies: [
        strategy({
          cut: [
            { pod: pod('a'), limit: 'namespaceLimit' },
            { pod: pod('b', 'n2'), limit: 'namespaceLimit' },
          ],
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod would go, 2 stopped by a limit',
      '  2 more: maxNoOfPodsToEvictPerNamespace is reached in shop',
      '',
      'In all: no pod would go, 2 stopped by a limit',
    ],
  },
  {
    name: 'limits that were reached in very many places',
    report: {
      strategies: [
        strategy({ cut: many(13, (at) => `n${10 + at}`).map((each) => ({ pod: each, limit: 'nodeLimit' as const })) }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod would go, 13 stopped by a limit',
      ...Array.from(
        { length: 10 },
        (_, at) => `  at least 1 more: maxNoOfPodsToEvictPerNode is reached on n${10 + at}`,
      ),
      '  … and 3 more in 3 other places; --output json has all',
      '',
      'In all: no pod would go, 13 stopped by a limit',
    ],
  },
  {
    name: 'who is protected, by reason, with three examples',
    report: {
      strategies: [
        strategy({
          spared: [
            ...because('it is being deleted', 'z'),
            ...because(localStorage, 'a', 'b', 'c', 'd', 'e'),
            ...because('it belongs to a DaemonSet (DaemonSetPods)', 'f', 'g', 'h'),
          ],
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod would go, 9 protected',
      `  5 protected: ${localStorage}`,
      '    shop/a, shop/b, shop/c and 2 more',
      '  3 protected: it belongs to a DaemonSet (DaemonSetPods)',
      '    shop/f, shop/g, shop/h',
      '  1 protected: it is being deleted',
      '    shop/z',
      '',
      'In all: no pod would go, 9 protected',
    ],
  },
  {
    name: 'protections with a reason for each pod',
    report: {
      strategies: [
        strategy({
          spared: many(12, () => 'n1').map((each, at) => ({
            pod: each,
            reason: `claim ${String(at).padStart(2, '0')}`,
          })),
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod would go, 12 protected',
      ...Array.from({ length: 10 }, (_, at) => [`  1 protected: claim 0${at}`, `    shop/web-${at}`]).flat(),
      '  … and 2 more protected for 2 other reasons; --output json has all',
      '',
      'In all: no pod would go, 12 protected',
    ],
  },
  {
    name: 'who was refused by a budget',
    isReal: true,
    report: {
      strategies: [
        strategy({ left: [pod('a')], refused: [...because(budget, 'b', 'c'), ...because('it is gone', 'd')] }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: 1 pod was asked to leave, 3 refused',
      '  n1: shop/a',
      `  2 refused: ${budget}`,
      '    shop/b, shop/c',
      '  1 refused: it is gone',
      '    shop/d',
      '',
      'In all: 1 pod was asked to leave 1 node, 3 refused',
    ],
  },
  {
    name: 'a refusal that is not plain text, or too long',
    isReal: true,
    report: {
      strategies: [
        strategy({
          refused: [...because(`denied\n\u001B[31m by a webhook\n`, 'a'), ...because('x'.repeat(1_000), 'b')],
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: no pod was asked to leave, 2 refused',
      '  1 refused: denied [31m by a webhook',
      '    shop/a',
      `  1 refused: ${'x'.repeat(300)}…`,
      '    shop/b',
      '',
      'In all: no pod was asked to leave, 2 refused',
    ],
  },
  {
    name: 'strategies that failed, one of them halfway',
    report: {
      strategies: [
        strategy({ strategy: 'LowNodeUtilization', failure: 'node n1 has no metrics' }),
        strategy({ left: [pod('a')], failure: 'node n2 has no metrics' }),
        strategy({ strategy: 'RemoveFailedPods' }),
      ],
    },
    expected: [
      'default/LowNodeUtilization: no pod would go, failed',
      '  ended early: node n1 has no metrics',
      '',
      'default/RemoveDuplicates: 1 pod would go, failed',
      '  ended early: node n2 has no metrics',
      '  n1: shop/a',
      '',
      'default/RemoveFailedPods: no pod would go',
      '',
      'In all: 1 pod would go from 1 node, 2 of 3 strategies failed',
    ],
  },
  {
    name: 'who was leaving before',
    report: {
      strategies: [strategy({ leaving: [pod('a'), pod('b', 'n2'), pod('c'), pod('d')], left: [pod('e')] })],
    },
    expected: [
      'default/RemoveDuplicates: 1 pod would go, 4 already leaving',
      '  n1: shop/e',
      '  already leaving: shop/a on n1, shop/b on n2, shop/c on n1 and 1 more',
      '',
      'In all: 1 pod would go from 1 node, 4 already leaving',
    ],
  },
  {
    name: 'a node that loses very many pods',
    report: { strategies: [strategy({ left: many(125, () => 'n1') })] },
    expected: [
      'default/RemoveDuplicates: 125 pods would go',
      '  n1: shop/web-0, shop/web-1, shop/web-2, shop/web-3, shop/web-4, … and 120 more; --output json has all',
      '',
      'In all: 125 pods would go from 1 node',
    ],
  },
  {
    name: 'a single strategy that failed',
    report: { strategies: [strategy({ failure: 'no query' })] },
    expected: [
      'default/RemoveDuplicates: no pod would go, failed',
      '  ended early: no query',
      '',
      'In all: no pod would go, 1 of 1 strategy failed',
    ],
  },
]

describe('as text', () => {
  test.each(rows)('it tells $name', ({ report, isReal = false, expected }) => {
    expect(renderReport(report, { isDryRun: !isReal })).toEqual(expected)
  })

  test('a pod counts once in the sum, and what moves it counts before what keeps it', () => {
    const report = {
      strategies: [
        strategy({ spared: because('old', 'a', 'b', 'c', 'd', 'e'), refused: because(budget, 'd') }),
        strategy({ strategy: 'PodLifeTime', left: [pod('a')], leaving: [pod('b')] }),
        strategy({ profile: 'night', cut: [{ pod: pod('c'), limit: 'totalLimit' }], refused: because(budget, 'c') }),
      ],
    }
    expect(renderReport(report, { isDryRun: true }).at(-1)).toBe(
      'In all: 1 pod would go from 1 node, 1 already leaving, 1 stopped by a limit, 1 refused, 1 protected',
    )
  })

  test('10,000 pods on 500 nodes are a page, not a book', () => {
    const report = {
      strategies: [
        strategy({
          left: many(10_000, (at) => `n${at % 500}`),
          spared: many(10_000, () => 'n1', 'db').map((each) => ({ pod: each, reason: localStorage })),
        }),
      ],
    }
    const lines = renderReport(report, { isDryRun: true })
    expect(lines).toHaveLength(26)
    expect(lines.at(21)).toBe('  … and 9600 more on 480 other nodes; --output json has all')
    expect(lines.at(-1)).toBe('In all: 10000 pods would go from 500 nodes, 10000 protected')
  })
})

const one = { node: 'n1', namespace: 'shop', strategy: 'RemoveDuplicates', profile: 'default' }
const nothing = {
  evictions: [],
  alreadyLeaving: [],
  protected: [],
  refused: [],
  cut: [],
  failures: [],
  skipped: null,
}

describe('as data', () => {
  test.each([
    { name: 'a policy without strategies', report: { strategies: [] }, expected: nothing },
    {
      name: 'a cycle that was skipped',
      report: { skipped: 'no node is ready', strategies: [] },
      expected: { ...nothing, skipped: 'no node is ready' },
    },
    {
      name: 'who leaves, in the order in which strategies named them',
      report: {
        strategies: [strategy({ left: [pod('b'), pod('a')] }), strategy({ profile: 'night', left: [pod('0', 'n2')] })],
      },
      expected: {
        ...nothing,
        evictions: [
          { ...one, name: 'b' },
          { ...one, name: 'a' },
          { ...one, name: '0', node: 'n2', profile: 'night' },
        ],
      },
    },
    {
      name: 'who stays, and why',
      report: {
        strategies: [
          strategy({
            leaving: [pod('a')],
            spared: because(localStorage, 'b'),
            refused: because(budget, 'c'),
            cut: [
              { pod: pod('d'), limit: 'totalLimit' as const },
              { pod: pod('e'), limit: 'nodeLimit' as const },
              { pod: pod('f'), limit: 'namespaceLimit' as const },
            ],
            failure: 'node n1 has no metrics',
          }),
        ],
      },
      expected: {
        ...nothing,
        alreadyLeaving: [{ ...one, name: 'a' }],
        protected: [{ ...one, name: 'b', reason: localStorage }],
        refused: [{ ...one, name: 'c', reason: budget }],
        cut: [
          { ...one, name: 'd', limit: 'total' },
          { ...one, name: 'e', limit: 'node' },
          { ...one, name: 'f', limit: 'namespace' },
        ],
        failures: [{ profile: 'default', strategy: 'RemoveDuplicates', message: 'node n1 has no metrics' }],
      },
    },
  ])('it has $name', ({ report, expected }) => {
    expect(reportData(report)).toEqual(expected)
  })

  test('an eviction has these keys in this order, and all pods are there', () => {
    const { evictions } = reportData({ strategies: [strategy({ left: many(10_000, (at) => `n${at % 500}`) })] })
    expect(evictions).toHaveLength(10_000)
    expect(JSON.stringify(evictions[0])).toBe(
      '{"namespace":"shop","name":"web-0","node":"n0","strategy":"RemoveDuplicates","profile":"default"}',
    )
  })
})

interface BriefRow {
  readonly name: string
  readonly report: CycleReport
  readonly isReal?: boolean
  readonly expected: readonly string[]
}

const briefRows: readonly BriefRow[] = [
  { name: 'a policy without strategies', report: { strategies: [] }, expected: [] },
  {
    name: 'a cycle that was skipped',
    report: { skipped: 'no node is ready', strategies: [] },
    expected: ['The cycle was skipped: no node is ready'],
  },
  {
    name: 'two strategies, of which one wants nothing',
    report: { strategies: [strategy(), strategy({ profile: 'night', left: [pod('a'), pod('b', 'n2')] })] },
    expected: [
      'default/RemoveDuplicates: no pod would go',
      'night/RemoveDuplicates: 2 pods would go: shop/a on n1, shop/b on n2',
    ],
  },
  {
    name: 'what was done, outside a dry run',
    isReal: true,
    report: { strategies: [strategy({ left: [pod('a')], leaving: [pod('b')] })] },
    expected: ['default/RemoveDuplicates: 1 pod was asked to leave: shop/a on n1; 1 already leaving'],
  },
  {
    name: 'the most frequent of what kept it from more',
    report: {
      strategies: [
        strategy({
          left: [pod('a')],
          cut: [
            { pod: pod('b'), limit: 'nodeLimit' },
            { pod: pod('c', 'n2'), limit: 'nodeLimit' },
            { pod: pod('d', 'n2'), limit: 'nodeLimit' },
            { pod: pod('e'), limit: 'totalLimit' },
          ],
          refused: because(budget, 'f'),
          spared: [...because('it is being deleted', 'g'), ...because(localStorage, 'h', 'i')],
          failure: 'node n3 has no metrics',
        }),
      ],
    },
    expected: [
      'default/RemoveDuplicates: 1 pod would go: shop/a on n1; ' +
        '4 stopped by a limit: maxNoOfPodsToEvictPerNode is reached on n2, and 2 other places; ' +
        `1 refused: ${budget}; 3 protected: ${localStorage}, and 1 other reason; ended early: node n3 has no metrics`,
    ],
  },
]

describe('as lines of a log', () => {
  test.each(briefRows)('it tells $name', ({ report, isReal = false, expected }) => {
    expect(renderBriefly(report, { isDryRun: !isReal })).toEqual(expected)
  })

  test('a line has a limit, and is one line, however many pods there are and whatever webhooks say', () => {
    const pods = many(10_000, (at) => `n${at}`)
    const reasons = pods.map((each, at) => ({ pod: each, reason: `${'x\n'.repeat(1_000)}${at}` }))
    const cut = pods.map((each) => ({ pod: each, limit: 'nodeLimit' as const }))
    const everything = { left: pods, leaving: pods, cut, refused: reasons, spared: reasons, failure: 'x'.repeat(5_000) }
    const lines = renderBriefly({ strategies: [strategy(everything)] }, { isDryRun: true })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.length).toBeLessThan(1_500)
    expect(lines[0]).not.toMatch(/\n/)
  })
})
