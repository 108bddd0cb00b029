import { describe, expect, test } from 'vitest'
import { parsedArgs, parsedPolicy, policyWithArgs, problemsInArgs } from '../../../test/build/descheduler-policy.ts'

describe('args', () => {
  test.each([
    { name: 'RemoveDuplicates needs none', plugin: 'RemoveDuplicates' as const, args: 'null', expected: {} },
    {
      name: 'RemoveDuplicates may have all of its args',
      plugin: 'RemoveDuplicates' as const,
      args: '{ excludeOwnerKinds: [ReplicaSet], namespaces: { include: [a] } }',
      expected: { excludeOwnerKinds: ['ReplicaSet'], namespaces: { include: ['a'] } },
    },
    {
      name: 'the spread of pods is hard and fits nodes by default',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint' as const,
      args: '{}',
      expected: { constraints: ['DoNotSchedule'], topologyBalanceNodeFit: true },
    },
    {
      name: 'an empty list of constraints is the default one',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint' as const,
      args: '{ constraints: [] }',
      expected: { constraints: ['DoNotSchedule'], topologyBalanceNodeFit: true },
    },
    {
      name: 'the spread of pods may be soft and fit no node',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint' as const,
      args: '{ constraints: [DoNotSchedule, ScheduleAnyway], topologyBalanceNodeFit: false, labelSelector: {} }',
      expected: { constraints: ['DoNotSchedule', 'ScheduleAnyway'], topologyBalanceNodeFit: false, labelSelector: {} },
    },
    {
      name: 'HighNodeUtilization has thresholds',
      plugin: 'HighNodeUtilization' as const,
      args: '{ thresholds: { cpu: 20, memory: 0.5 } }',
      expected: { thresholds: { cpu: 20, memory: 0.5 }, numberOfNodes: 0, evictionModes: [] },
    },
    {
      name: 'HighNodeUtilization may have all of its args',
      plugin: 'HighNodeUtilization' as const,
      args: `{ thresholds: { example.com/gpu: 0 }, numberOfNodes: 2, evictableNamespaces: { exclude: [a] },
        evictionModes: [OnlyThresholdingResources] }`,
      expected: {
        thresholds: { 'example.com/gpu': 0 },
        numberOfNodes: 2,
        evictableNamespaces: { exclude: ['a'] },
        evictionModes: ['OnlyThresholdingResources'],
      },
    },
  ])('$name', ({ plugin, args, expected }) => expect(parsedArgs(plugin, args)).toStrictEqual(expected))
})

describe('LowNodeUtilization', () => {
  const defaults = { useDeviationThresholds: false, numberOfNodes: 0 }
  const both = { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } }
  test.each([
    { name: 'thresholds', args: '{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } }', expected: both },
    {
      name: 'equal thresholds, from 0 to 100',
      args: '{ thresholds: { cpu: 100, pods: 0 }, targetThresholds: { cpu: 100, pods: 0 } }',
      expected: { thresholds: { cpu: 100, pods: 0 }, targetThresholds: { cpu: 100, pods: 0 } },
    },
    {
      name: 'deviations, of which the lower may be the larger',
      args: '{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 10 }, useDeviationThresholds: true }',
      expected: { thresholds: { cpu: 20 }, targetThresholds: { cpu: 10 }, useDeviationThresholds: true },
    },
    {
      name: 'a number of nodes, namespaces and limits',
      args: `{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 }, numberOfNodes: 3,
        evictableNamespaces: { exclude: [a], include: [] }, evictionLimits: { node: 0 } }`,
      expected: { ...both, numberOfNodes: 3, evictableNamespaces: { exclude: ['a'] }, evictionLimits: { node: 0 } },
    },
    {
      name: 'limits that limit nothing',
      args: '{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 }, evictionLimits: {} }',
      expected: { ...both, evictionLimits: {} },
    },
  ])('takes $name', ({ args, expected }) => {
    expect(parsedArgs('LowNodeUtilization', args)).toStrictEqual({ ...defaults, ...expected })
  })

  const metrics = (thresholds: string, utilization: string) =>
    `{ thresholds: ${thresholds}, targetThresholds: ${thresholds}, metricsUtilization: ${utilization} }`
  test.each([
    {
      name: 'of Kubernetes',
      args: metrics('{ cpu: 20 }', '{ source: KubernetesMetrics }'),
      providers: '[{ source: KubernetesMetrics }]',
      expected: { source: 'KubernetesMetrics' },
    },
    {
      name: 'of Kubernetes in the words of before',
      args: metrics('{ cpu: 20 }', '{ metricsServer: true }'),
      providers: '[{ source: KubernetesMetrics }]',
      expected: { source: 'KubernetesMetrics' },
    },
    {
      name: 'of Prometheus',
      args: metrics('{ MetricResource: 20 }', '{ source: Prometheus, prometheus: { query: up } }'),
      providers: '[{ source: Prometheus, prometheus: { url: "http://prometheus:9090" } }]',
      expected: { source: 'Prometheus', query: 'up' },
    },
  ])('reads metrics $name', ({ args, providers, expected }) => {
    const text = `${policyWithArgs('LowNodeUtilization', args)}\nmetricsProviders: ${providers}`
    expect(parsedPolicy(text).profiles[0]?.balance[0]?.args).toMatchObject({ metricsUtilization: expected })
  })

  const fine = 'thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 }'
  const measured = 'thresholds: { MetricResource: 20 }, targetThresholds: { MetricResource: 50 }'
  const mustBeQuery = 'must be a query that gives a number from 0 to 1 for each node'
  test.each([
    {
      name: 'without args',
      args: 'null',
      expected: [
        'args.thresholds is missing: must have at least one resource',
        'args.targetThresholds is missing: must have at least one resource',
      ],
    },
    {
      name: 'without targets',
      args: '{ thresholds: { cpu: 20 }, targetThresholds: {} }',
      expected: ['args.targetThresholds is {}: must have at least one resource'],
    },
    {
      name: 'with thresholds in a list',
      args: '{ thresholds: [cpu], targetThresholds: { cpu: 50 } }',
      expected: ['args.thresholds is ["cpu"]: must be an object'],
    },
    {
      name: 'above 100 percent',
      args: '{ thresholds: { cpu: 20, memory: 120 }, targetThresholds: { cpu: 80, memory: 80 } }',
      expected: ['args.thresholds.memory is 120: must be a number from 0 to 100'],
    },
    {
      name: 'below 0 percent',
      args: '{ thresholds: { cpu: -1 }, targetThresholds: { cpu: 80 } }',
      expected: ['args.thresholds.cpu is -1: must be a number from 0 to 100'],
    },
    {
      name: 'with a percent sign',
      args: '{ thresholds: { cpu: 20% }, targetThresholds: { cpu: 50% } }',
      expected: [
        'args.thresholds.cpu is "20%": must be a number from 0 to 100',
        'args.targetThresholds.cpu is "50%": must be a number from 0 to 100',
      ],
    },
    {
      name: 'with a resource in the targets alone',
      args: '{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 80, pods: 80 } }',
      expected: ['args.thresholds.pods is missing: must be there, as it is in targetThresholds'],
    },
    {
      name: 'with different resources',
      args: '{ thresholds: { example.com/foo: 20 }, targetThresholds: { example.com/bar: 80 } }',
      expected: [
        'args.targetThresholds["example.com/foo"] is missing: must be there, as it is in thresholds',
        'args.thresholds["example.com/bar"] is missing: must be there, as it is in targetThresholds',
      ],
    },
    {
      name: 'with a threshold above its target',
      args: '{ thresholds: { cpu: 90, memory: 20 }, targetThresholds: { cpu: 80, memory: 80 } }',
      expected: ['args.thresholds.cpu is 90: must be at most 80, as in targetThresholds'],
    },
    {
      name: 'with namespaces to include',
      args: `{ ${fine}, evictableNamespaces: { include: [a] } }`,
      expected: ['args.evictableNamespaces.include is ["a"]: only exclude is possible here'],
    },
    {
      name: 'with the namespaces of other plugins',
      args: `{ ${fine}, namespaces: { exclude: [a] } }`,
      expected: [
        'args.namespaces is {"exclude":["a"]}: there is no such field; there are evictableNamespaces, evictionLimits, metricsUtilization, numberOfNodes, targetThresholds, thresholds, useDeviationThresholds',
      ],
    },
    {
      name: 'with a number of nodes as text',
      args: `{ ${fine}, numberOfNodes: "3" }`,
      expected: ['args.numberOfNodes is "3": must be a whole number'],
    },
    {
      name: 'with a negative limit',
      args: `{ ${fine}, evictionLimits: { node: -1 } }`,
      expected: ['args.evictionLimits.node is -1: must be a whole number of at least 0'],
    },
    {
      name: 'with a limit by namespace',
      args: `{ ${fine}, evictionLimits: { namespace: 1 } }`,
      expected: ['args.evictionLimits.namespace is 1: there is no such field; there are node'],
    },
    {
      name: 'with metrics of no source',
      args: `{ ${fine}, metricsUtilization: {} }`,
      expected: ['args.metricsUtilization.source is missing: must be one of KubernetesMetrics, Prometheus'],
    },
    {
      name: 'with metrics of another source',
      args: `{ ${fine}, metricsUtilization: { source: Datadog } }`,
      expected: ['args.metricsUtilization.source is "Datadog": must be one of KubernetesMetrics, Prometheus'],
    },
    {
      name: 'with metrics that no provider has',
      args: `{ ${fine}, metricsUtilization: { source: KubernetesMetrics } }`,
      expected: [
        'args.metricsUtilization.source is "KubernetesMetrics": needs an entry in metricsProviders with the source KubernetesMetrics',
      ],
    },
    {
      name: 'with the source in both words',
      args: `{ ${fine}, metricsUtilization: { metricsServer: true, source: KubernetesMetrics } }`,
      expected: [
        'args.metricsUtilization.metricsServer is true: must be left out beside source',
        'args.metricsUtilization.source is "KubernetesMetrics": needs an entry in metricsProviders with the source KubernetesMetrics',
      ],
    },
    {
      name: 'with Prometheus and no query',
      args: `{ ${measured}, metricsUtilization: { source: Prometheus } }`,
      expected: [
        `args.metricsUtilization.prometheus.query is missing: ${mustBeQuery}`,
        'args.metricsUtilization.source is "Prometheus": needs an entry in metricsProviders with the source Prometheus',
      ],
    },
    {
      name: 'with Prometheus and an empty query',
      args: `{ ${measured}, metricsUtilization: { source: Prometheus, prometheus: { query: "" } } }`,
      expected: [
        `args.metricsUtilization.prometheus.query is "": ${mustBeQuery}`,
        'args.metricsUtilization.source is "Prometheus": needs an entry in metricsProviders with the source Prometheus',
      ],
    },
    {
      name: 'with Prometheus for other resources',
      args: `{ ${fine}, metricsUtilization: { source: Prometheus, prometheus: { query: up } } }`,
      expected: [
        'args.thresholds is {"cpu":20}: must have MetricResource alone for the source Prometheus',
        'args.targetThresholds is {"cpu":50}: must have MetricResource alone for the source Prometheus',
        'args.metricsUtilization.source is "Prometheus": needs an entry in metricsProviders with the source Prometheus',
      ],
    },
    {
      name: 'with a query for Kubernetes',
      args: `{ ${fine}, metricsUtilization: { source: KubernetesMetrics, prometheus: {} } }`,
      expected: [
        'args.metricsUtilization.prometheus is {}: must be left out for the source KubernetesMetrics',
        'args.metricsUtilization.source is "KubernetesMetrics": needs an entry in metricsProviders with the source KubernetesMetrics',
      ],
    },
  ])('is wrong $name', ({ args, expected }) => expect(problemsInArgs('LowNodeUtilization', args)).toEqual(expected))
})

describe('other plugins', () => {
  test.each([
    {
      name: 'HighNodeUtilization without thresholds',
      plugin: 'HighNodeUtilization',
      args: '{ thresholds: {} }',
      expected: ['args.thresholds is {}: must have at least one resource'],
    },
    {
      name: 'HighNodeUtilization above 100 percent',
      plugin: 'HighNodeUtilization',
      args: '{ thresholds: { memory: 101 } }',
      expected: ['args.thresholds.memory is 101: must be a number from 0 to 100'],
    },
    {
      name: 'HighNodeUtilization with targets',
      plugin: 'HighNodeUtilization',
      args: '{ thresholds: { cpu: 20 }, targetThresholds: { cpu: 20 } }',
      expected: [
        'args.targetThresholds is {"cpu":20}: there is no such field; there are evictableNamespaces, evictionModes, numberOfNodes, thresholds',
      ],
    },
    {
      name: 'HighNodeUtilization with an unknown mode',
      plugin: 'HighNodeUtilization',
      args: '{ thresholds: { cpu: 20 }, evictionModes: [All] }',
      expected: ['args.evictionModes[0] is "All": must be OnlyThresholdingResources'],
    },
    {
      name: 'HighNodeUtilization with namespaces to include',
      plugin: 'HighNodeUtilization',
      args: '{ thresholds: { cpu: 20 }, evictableNamespaces: { include: [a] } }',
      expected: ['args.evictableNamespaces.include is ["a"]: only exclude is possible here'],
    },
    {
      name: 'RemoveDuplicates with namespaces in both ways',
      plugin: 'RemoveDuplicates',
      args: '{ namespaces: { include: [a], exclude: [a] } }',
      expected: ['args.namespaces is {"include":["a"],"exclude":["a"]}: must have include or exclude, not both'],
    },
    {
      name: 'RemoveDuplicates with a label selector',
      plugin: 'RemoveDuplicates',
      args: '{ labelSelector: {} }',
      expected: ['args.labelSelector is {}: there is no such field; there are excludeOwnerKinds, namespaces'],
    },
    {
      name: 'the spread of pods with an unknown constraint',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint',
      args: '{ constraints: [DoNotSchedule, Sometimes] }',
      expected: ['args.constraints[1] is "Sometimes": must be one of DoNotSchedule, ScheduleAnyway'],
    },
    {
      name: 'the spread of pods with the words of before',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint',
      args: '{ includeSoftConstraints: true }',
      expected: [
        'args.includeSoftConstraints is true: there is no such field; there are constraints, labelSelector, namespaces, topologyBalanceNodeFit',
      ],
    },
    {
      name: 'the spread of pods with a flag as number',
      plugin: 'RemovePodsViolatingTopologySpreadConstraint',
      args: '{ topologyBalanceNodeFit: 1 }',
      expected: ['args.topologyBalanceNodeFit is 1: must be true or false'],
    },
  ])('$name is wrong', ({ plugin, args, expected }) => expect(problemsInArgs(plugin, args)).toEqual(expected))
})
