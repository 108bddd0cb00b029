import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsedPolicy, policyText, problemsIn } from '../../../test/build/descheduler-policy.ts'
import { parsePolicy } from './parse-policy.ts'
import { defaultEvictor, pluginNames } from './plugin-args.ts'

const nothing = {
  nodeSelector: undefined,
  limits: { perNode: undefined, perNamespace: undefined, total: undefined },
  evictionFailureEventNotification: false,
  gracePeriodSeconds: undefined,
  metricsProviders: { kubernetesMetrics: false, prometheus: undefined },
  evictionMessagePrefixes: ['Eviction triggered'],
  profiles: [],
  lifeboat: { maxPercentPerOwner: undefined, returnBackoffMs: undefined, nodeFitAsScheduler: false, window: undefined },
}

describe('a policy takes', () => {
  test.each([
    { name: 'nothing but its type', fields: '', expected: {} },
    { name: 'fields that are null', fields: 'profiles: null\nnodeSelector: ~\nlifeboat:', expected: {} },
    {
      name: 'limits',
      fields: 'maxNoOfPodsToEvictPerNode: 1\nmaxNoOfPodsToEvictPerNamespace: 0\nmaxNoOfPodsToEvictTotal: 3',
      expected: { limits: { perNode: 1, perNamespace: 0, total: 3 } },
    },
    {
      name: 'limits of evacuations',
      fields: 'maxNoOfPodsEvacuationsPerNode: 4\nmaxNoOfPodsEvacuationsPerNamespace: 5',
      expected: { limits: { perNode: 4, perNamespace: 5, total: undefined } },
    },
    {
      name: 'limits in both words, of which the smaller rules',
      fields: `maxNoOfPodsToEvictPerNode: 1
maxNoOfPodsEvacuationsPerNode: 4
maxNoOfPodsToEvictPerNamespace: 5
maxNoOfPodsEvacuationsPerNamespace: 0`,
      expected: { limits: { perNode: 1, perNamespace: 0, total: undefined } },
    },
    {
      name: 'a wish for events, and a grace period',
      fields: 'evictionFailureEventNotification: true\ngracePeriodSeconds: 0',
      expected: { evictionFailureEventNotification: true, gracePeriodSeconds: 0 },
    },
    {
      name: 'booleans of YAML 1.1',
      fields: 'evictionFailureEventNotification: Yes',
      expected: { evictionFailureEventNotification: true },
    },
    { name: 'a boolean that is off', fields: 'evictionFailureEventNotification: off', expected: {} },
    {
      name: 'its own beginnings of messages',
      fields: 'evictionMessagePrefixes: [Migration started, Moved]',
      expected: { evictionMessagePrefixes: ['Migration started', 'Moved'] },
    },
    { name: 'an empty list of beginnings as the default', fields: 'evictionMessagePrefixes: []', expected: {} },
  ])('$name', ({ fields, expected }) => {
    expect(parsePolicy(policyText(fields))).toStrictEqual({ policy: { ...nothing, ...expected }, warnings: [] })
  })

  test.each([
    {
      name: 'JSON',
      text: '{"apiVersion":"descheduler/v1alpha2",\n\t"kind": "DeschedulerPolicy",\n\t"maxNoOfPodsToEvictTotal": 3}',
    },
    { name: 'YAML with comments', text: `# ours\n---\n${policyText('maxNoOfPodsToEvictTotal: 3 # not more')}\n` },
    { name: 'YAML with an anchor', text: policyText('x-limit: &limit 3\nmaxNoOfPodsToEvictTotal: *limit') },
    {
      name: 'YAML that merges',
      text: policyText('x-limits: &limits { maxNoOfPodsToEvictTotal: 3 }\n<<: *limits'),
    },
    { name: 'YAML with Windows line ends', text: policyText('maxNoOfPodsToEvictTotal: 3\n').replaceAll('\n', '\r\n') },
  ])('$name', ({ text }) => expect(parsedPolicy(text).limits.total).toBe(3))
})

describe('a policy is wrong', () => {
  const mustBeLimit = 'must be a whole number of at least 0'
  test.each([
    {
      name: 'without any text',
      text: '',
      expected: ['apiVersion is missing: must be descheduler/v1alpha2', 'kind is missing: must be DeschedulerPolicy'],
    },
    {
      name: 'of the version before',
      text: 'apiVersion: descheduler/v1alpha1\nkind: DeschedulerPolicy',
      expected: ['apiVersion is "descheduler/v1alpha1": must be descheduler/v1alpha2'],
    },
    {
      name: 'of another kind',
      text: 'apiVersion: descheduler/v1alpha2\nkind: Policy',
      expected: ['kind is "Policy": must be DeschedulerPolicy'],
    },
    {
      name: 'with its type in other letters',
      text: 'APIVersion: descheduler/v1alpha2\nKind: DeschedulerPolicy',
      expected: ['apiVersion is missing: must be descheduler/v1alpha2', 'kind is missing: must be DeschedulerPolicy'],
    },
    {
      name: 'that is a list',
      text: '- a',
      expected: [
        'the policy is ["a"]: must be an object',
        'apiVersion is missing: must be descheduler/v1alpha2',
        'kind is missing: must be DeschedulerPolicy',
      ],
    },
    {
      name: 'that is no YAML',
      text: policyText('profiles: [\n  a'),
      expected: [
        'line 4, column 4 is "a": Flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    },
    {
      name: 'that says a thing twice',
      text: policyText('nodeSelector: a\nnodeSelector: b'),
      expected: ['line 4, column 1 is "nodeSelector: b": Map keys must be unique'],
    },
    {
      name: 'of two documents',
      text: `${policyText()}---\n${policyText()}`,
      expected: ['line 3, column 1 is "---": a policy is one document'],
    },
    {
      name: 'with an alias of nothing',
      text: 'a: *b',
      expected: ['the policy is "a: *b": Unresolved alias (the anchor must be set before the alias): b'],
    },
    {
      name: 'with a negative limit by node',
      text: policyText('maxNoOfPodsToEvictPerNode: -1'),
      expected: [`maxNoOfPodsToEvictPerNode is -1: ${mustBeLimit}`],
    },
    {
      name: 'with a negative limit by namespace',
      text: policyText('maxNoOfPodsToEvictPerNamespace: -1'),
      expected: [`maxNoOfPodsToEvictPerNamespace is -1: ${mustBeLimit}`],
    },
    {
      name: 'with a limit as text',
      text: policyText('maxNoOfPodsToEvictTotal: "5"'),
      expected: [`maxNoOfPodsToEvictTotal is "5": ${mustBeLimit}`],
    },
    {
      name: 'with half a limit of evacuations',
      text: policyText('maxNoOfPodsEvacuationsPerNode: 0.5'),
      expected: [`maxNoOfPodsEvacuationsPerNode is 0.5: ${mustBeLimit}`],
    },
    {
      name: 'with a limit of evacuations by namespace that is a list',
      text: policyText('maxNoOfPodsEvacuationsPerNamespace: [1]'),
      expected: [`maxNoOfPodsEvacuationsPerNamespace is [1]: ${mustBeLimit}`],
    },
    {
      name: 'with a negative grace period',
      text: policyText('gracePeriodSeconds: -1'),
      expected: [`gracePeriodSeconds is -1: ${mustBeLimit}`],
    },
    {
      name: 'with a wish for events as text',
      text: policyText('evictionFailureEventNotification: "true"'),
      expected: ['evictionFailureEventNotification is "true": must be true or false'],
    },
    {
      name: 'with one beginning of a message outside of a list',
      text: policyText('evictionMessagePrefixes: Migration'),
      expected: ['evictionMessagePrefixes is "Migration": must be a list'],
    },
    {
      name: 'with a beginning of a message that is a number',
      text: policyText('evictionMessagePrefixes: [Migration, 429]'),
      expected: ['evictionMessagePrefixes[1] is 429: must be a string'],
    },
    {
      name: 'with profiles by name',
      text: policyText('profiles: { p: {} }'),
      expected: ['profiles is {"p":{}}: must be a list'],
    },
    {
      name: 'in many places, which are told at once',
      text: policyText(`nodeSelector: "="
maxNoOfPodsToEvictTotal: none
profiles: [{ name: p, pluginConfig: [{ name: RemoveDuplicates, args: 1 }] }]
lifeboat: { nodeFit: No }`),
      expected: [
        'profile p, plugin RemoveDuplicates: args is 1: must be an object',
        'nodeSelector is "=": must be a label selector such as zone=a,!gpu,arch in (arm64,amd64), not "="',
        'maxNoOfPodsToEvictTotal is "none": must be a whole number of at least 0',
        'lifeboat.nodeFit is false: must be one of AsScheduler, AsDescheduler',
      ],
    },
  ])('$name', ({ text, expected }) => expect(problemsIn(text)).toEqual(expected))

  test('with aliases that grow beyond measure', () => {
    const levels = Array.from(
      { length: 9 },
      (_, index) => `x${index + 1}: &x${index + 1} [${`*x${index}, `.repeat(9)}]`,
    )
    expect(problemsIn(policyText(`x0: &x0 [a]\n${levels.join('\n')}`))).toEqual([
      expect.stringContaining('Excessive alias count'),
    ])
  })
})

test.each([
  {
    name: 'a misspelt field',
    fields: 'nodeselector: a',
    expected: ['nodeselector has no effect: there is no such field; did you mean nodeSelector?'],
  },
  {
    name: 'the strategies of before',
    fields: 'strategies: {}',
    expected: ['strategies has no effect: there is no such field'],
  },
  {
    name: 'a field of a provider',
    fields: 'metricsProviders: [{ source: KubernetesMetrics, interval: 5s }]',
    expected: ['metricsProviders[0].interval has no effect: there is no such field'],
  },
])('$name has no effect, and a warning tells it', ({ fields, expected }) => {
  expect(parsePolicy(policyText(fields))).toMatchObject({ policy: {}, warnings: expected })
})

describe('policies as they are in use', () => {
  const profile = (configs: string, plugins: string) =>
    policyText(`profiles:\n- name: default\n  pluginConfig:\n${configs}  plugins:\n${plugins}`)
  const config = (name: string, args = '') => `  - name: ${name}\n${args === '' ? '' : `    args: ${args}\n`}`
  const point = (name: string, ...plugins: readonly string[]) => `    ${name}: { enabled: [${plugins.join(', ')}] }\n`

  test.each([
    {
      name: "the default of upstream's chart",
      text: profile(
        config(
          'DefaultEvictor',
          '{ podProtections: { defaultDisabled: [PodsWithLocalStorage], extraEnabled: [PodsWithPVC] } }',
        ) +
          config('RemoveDuplicates') +
          config('RemovePodsHavingTooManyRestarts', '{ podRestartThreshold: 100, includingInitContainers: true }') +
          config(
            'RemovePodsViolatingNodeAffinity',
            '{ nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution] }',
          ) +
          config('RemovePodsViolatingNodeTaints') +
          config('RemovePodsViolatingInterPodAntiAffinity') +
          config('RemovePodsViolatingTopologySpreadConstraint') +
          config(
            'LowNodeUtilization',
            '{ thresholds: { cpu: 20, memory: 20, pods: 20 }, targetThresholds: { cpu: 50, memory: 50, pods: 50 } }',
          ),
        point('balance', 'RemoveDuplicates', 'RemovePodsViolatingTopologySpreadConstraint', 'LowNodeUtilization') +
          point(
            'deschedule',
            'RemovePodsHavingTooManyRestarts',
            'RemovePodsViolatingNodeTaints',
            'RemovePodsViolatingNodeAffinity',
            'RemovePodsViolatingInterPodAntiAffinity',
          ),
      ),
      deschedule: 4,
      balance: 3,
    },
    {
      name: 'high utilization with the flags of before',
      text: profile(
        config('DefaultEvictor', '{ evictLocalStoragePods: true, nodeFit: true, minReplicas: 2 }') +
          config('HighNodeUtilization', '{ thresholds: { memory: 20 }, evictionModes: [OnlyThresholdingResources] }'),
        point('balance', 'HighNodeUtilization'),
      ),
      deschedule: 0,
      balance: 1,
    },
    {
      name: 'failed pods that no Job owns',
      text: profile(
        config(
          'RemoveFailedPods',
          '{ reasons: [OutOfcpu, CreateContainerConfigError], includingInitContainers: true, excludeOwnerKinds: [Job] }',
        ),
        point('deschedule', 'RemoveFailedPods'),
      ),
      deschedule: 1,
      balance: 0,
    },
    {
      name: 'pods that are a week old',
      text: profile(config('PodLifeTime', '{ maxPodLifeTimeSeconds: 604800 }'), point('deschedule', 'PodLifeTime')),
      deschedule: 1,
      balance: 0,
    },
    {
      name: 'pods that completed a while ago',
      text: profile(
        config(
          'PodLifeTime',
          '{ states: [Succeeded], conditions: [{ reason: PodCompleted, status: "True", minTimeSinceLastTransitionSeconds: 14400 }] }',
        ),
        point('deschedule', 'PodLifeTime'),
      ),
      deschedule: 1,
      balance: 0,
    },
    {
      name: 'both kinds of node affinity',
      text: profile(
        config(
          'RemovePodsViolatingNodeAffinity',
          '{ nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution] }',
        ),
        point('deschedule', 'RemovePodsViolatingNodeAffinity'),
      ),
      deschedule: 1,
      balance: 0,
    },
    {
      name: 'soft constraints with limits by node',
      text: `${profile(
        config('RemovePodsViolatingTopologySpreadConstraint', '{ constraints: [DoNotSchedule, ScheduleAnyway] }'),
        point('balance', 'RemovePodsViolatingTopologySpreadConstraint'),
      )}maxNoOfPodsToEvictPerNode: 10\nnodeSelector: pool=workers`,
      deschedule: 0,
      balance: 1,
    },
    {
      name: 'utilization by a query to Prometheus',
      text: `${profile(
        config(
          'LowNodeUtilization',
          '{ thresholds: { MetricResource: 10 }, targetThresholds: { MetricResource: 10 }, useDeviationThresholds: true, evictionLimits: { node: 5 }, metricsUtilization: { source: Prometheus, prometheus: { query: "instance:node_cpu:rate:sum" } } }',
        ),
        point('balance', 'LowNodeUtilization'),
      )}metricsProviders: [{ source: Prometheus, prometheus: { url: "https://prometheus:9091" } }]`,
      deschedule: 0,
      balance: 1,
    },
  ])('$name', ({ text, deschedule, balance }) => {
    const parsed = parsePolicy(text)
    expect(parsed).toMatchObject({ policy: { profiles: [{ name: 'default' }] }, warnings: [] })
    const [first] = parsedPolicy(text).profiles
    expect([first?.deschedule.length, first?.balance.length]).toEqual([deschedule, balance])
  })
})

describe('whatever is in a policy', () => {
  /** Neither throws nor needs more than a line for each problem. */
  const isJudged = (text: string) => {
    expect(problemsIn(text).filter((line) => line.includes('\n'))).toEqual([])
  }

  test('it is judged as text', () => {
    const signs = 'a1 \n\t-:{}[]&*!|>\'"%@`#,?~<'.split('')
    const text = fc.array(fc.constantFrom(...signs), { maxLength: 30 }).map((drawn) => drawn.join(''))
    fc.assert(fc.property(text, isJudged), { numRuns: 300 })
  })

  const fields = [
    'profiles',
    'nodeSelector',
    'metricsProviders',
    'metricsCollector',
    'lifeboat',
    'evictionMessagePrefixes',
  ]
  test.each(fields)('%s is judged', (field) =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) =>
        isJudged(JSON.stringify({ apiVersion: 'descheduler/v1alpha2', kind: 'DeschedulerPolicy', [field]: value })),
      ),
      { numRuns: 30 },
    ),
  )

  const args = [
    'namespaces',
    'labelSelector',
    'states',
    'conditions',
    'exitCodes',
    'ownerKinds',
    'thresholds',
    'targetThresholds',
    'evictionLimits',
    'metricsUtilization',
    'podProtections',
    'priorityThreshold',
    'minPodAge',
    'nodeSelector',
  ]
  test.each([defaultEvictor, ...pluginNames])('args of %s are judged', (name) =>
    fc.assert(
      fc.property(fc.constantFrom(...args), fc.jsonValue({ maxDepth: 3 }), (arg, value) => {
        const profile = { name: 'p', pluginConfig: [{ name, args: { [arg]: value } }] }
        isJudged(JSON.stringify({ apiVersion: 'descheduler/v1alpha2', kind: 'DeschedulerPolicy', profiles: [profile] }))
      }),
      { numRuns: 50 },
    ),
  )
})
