import { describe, expect, test } from 'vitest'
import { parsedEvictor, policyWithArgs, problemsInArgs } from '../../../test/build/descheduler-policy.ts'
import { parsePolicy } from './parse-policy.ts'

const byDefault = ['DaemonSetPods', 'FailedBarePods', 'PodsWithLocalStorage', 'SystemCriticalPods']

test('without args it has its defaults', () => {
  expect(parsedEvictor('null')).toStrictEqual({
    protections: new Set(byDefault),
    protectedStorageClasses: undefined,
    nodeSelector: undefined,
    labelSelector: undefined,
    namespaceLabelSelector: undefined,
    priorityThreshold: undefined,
    nodeFit: false,
    minReplicas: 0,
    minPodAgeMs: undefined,
    noEvictionPolicy: 'Preferred',
  })
})

describe('protections', () => {
  test.each([
    {
      name: 'are the default ones beside empty lists',
      args: '{ podProtections: { extraEnabled: [] } }',
      expected: byDefault,
    },
    {
      name: 'may be all off',
      args: '{ podProtections: { defaultDisabled: [DaemonSetPods, FailedBarePods, PodsWithLocalStorage, SystemCriticalPods] } }',
      expected: [],
    },
    {
      name: 'may be all on',
      args: '{ podProtections: { extraEnabled: [PodsWithPVC, PodsWithoutPDB, PodsWithResourceClaims] } }',
      expected: [...byDefault, 'PodsWithPVC', 'PodsWithResourceClaims', 'PodsWithoutPDB'],
    },
    {
      name: 'may be off and on',
      args: '{ podProtections: { defaultDisabled: [PodsWithLocalStorage], extraEnabled: [PodsWithPVC] } }',
      expected: ['DaemonSetPods', 'FailedBarePods', 'PodsWithPVC', 'SystemCriticalPods'],
    },
    {
      name: 'may be off by the flags of before',
      args: '{ evictLocalStoragePods: true, evictDaemonSetPods: true, evictSystemCriticalPods: true, evictFailedBarePods: true }',
      expected: [],
    },
    {
      name: 'may be on by the flags of before',
      args: '{ ignorePvcPods: true, ignorePodsWithoutPDB: true, evictDaemonSetPods: false }',
      expected: [...byDefault, 'PodsWithPVC', 'PodsWithoutPDB'],
    },
    {
      name: 'may have flags that are false beside the words of now',
      args: '{ evictSystemCriticalPods: false, podProtections: { defaultDisabled: [DaemonSetPods] } }',
      expected: ['FailedBarePods', 'PodsWithLocalStorage', 'SystemCriticalPods'],
    },
  ])('$name', ({ args, expected }) => {
    expect([...parsedEvictor(args).protections].toSorted()).toEqual(expected.toSorted())
  })
})

test.each([
  {
    name: 'some storage classes are protected',
    args: '{ podProtections: { extraEnabled: [PodsWithPVC], config: { PodsWithPVC: { protectedStorageClasses: [{ name: fast }, { name: slow }] } } } }',
    expected: { protectedStorageClasses: ['fast', 'slow'] },
  },
  {
    name: 'an empty list of storage classes protects every claim',
    args: '{ ignorePvcPods: true, podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [] } } } }',
    expected: { protectedStorageClasses: undefined },
  },
  {
    name: 'a threshold has a value',
    args: '{ priorityThreshold: { value: -5 } }',
    expected: { priorityThreshold: { value: -5 } },
  },
  {
    name: 'a threshold may be as high as the system-critical classes',
    args: '{ priorityThreshold: { value: 2000000000 } }',
    expected: { priorityThreshold: { value: 2_000_000_000 } },
  },
  {
    name: 'a threshold has a name',
    args: '{ priorityThreshold: { name: high } }',
    expected: { priorityThreshold: { name: 'high' } },
  },
  { name: 'an empty threshold is none', args: '{ priorityThreshold: {} }', expected: { priorityThreshold: undefined } },
  {
    name: 'a pod has to be an hour and a half old',
    args: '{ minPodAge: 1h30m }',
    expected: { minPodAgeMs: 5_400_000 },
  },
  {
    name: 'pods and their namespaces are selected',
    args: '{ labelSelector: { matchLabels: { a: b } }, namespaceLabelSelector: { matchLabels: { c: d } } }',
    expected: { labelSelector: { matchLabels: { a: 'b' } }, namespaceLabelSelector: { matchLabels: { c: 'd' } } },
  },
  {
    name: 'the rest is taken as it is',
    args: '{ nodeFit: true, minReplicas: 2, noEvictionPolicy: Mandatory }',
    expected: { nodeFit: true, minReplicas: 2, noEvictionPolicy: 'Mandatory' },
  },
  {
    name: 'args may name their type',
    args: '{ kind: DefaultEvictorArgs, apiVersion: x, nodeFit: true }',
    expected: { nodeFit: true },
  },
])('$name', ({ args, expected }) => expect(parsedEvictor(args)).toMatchObject(expected))

test('one replica as the least is warned of: it keeps no pod', () => {
  expect(parsePolicy(policyWithArgs('DefaultEvictor', '{ minReplicas: 1 }')).warnings).toEqual([
    'profile p, plugin DefaultEvictor: args.minReplicas has no effect: only more than 1 keeps a pod',
  ])
})

describe('args are wrong', () => {
  test.each([
    {
      name: 'with an extra protection that there is not',
      args: '{ podProtections: { extraEnabled: [PodsWithPVCC] } }',
      expected: [
        'args.podProtections.extraEnabled[0] is "PodsWithPVCC": must be one of PodsWithPVC, PodsWithoutPDB, PodsWithResourceClaims',
      ],
    },
    {
      name: 'with a default protection among the extra ones',
      args: '{ podProtections: { extraEnabled: [DaemonSetPods] } }',
      expected: [
        'args.podProtections.extraEnabled[0] is "DaemonSetPods": must be one of PodsWithPVC, PodsWithoutPDB, PodsWithResourceClaims',
      ],
    },
    {
      name: 'with an extra protection among the default ones',
      args: '{ podProtections: { defaultDisabled: [PodsWithPVC] } }',
      expected: [
        'args.podProtections.defaultDisabled[0] is "PodsWithPVC": must be one of PodsWithLocalStorage, DaemonSetPods, SystemCriticalPods, FailedBarePods',
      ],
    },
    {
      name: 'with a protection twice',
      args: '{ podProtections: { extraEnabled: [PodsWithPVC, PodsWithPVC, PodsWithPVC] } }',
      expected: [
        'args.podProtections.extraEnabled is ["PodsWithPVC","PodsWithPVC","PodsWithPVC"]: must have PodsWithPVC only once',
      ],
    },
    {
      name: 'with a default protection off twice',
      args: '{ podProtections: { defaultDisabled: [DaemonSetPods, DaemonSetPods] } }',
      expected: [
        'args.podProtections.defaultDisabled is ["DaemonSetPods","DaemonSetPods"]: must have DaemonSetPods only once',
      ],
    },
    {
      name: 'with a flag of before beside podProtections',
      args: '{ evictLocalStoragePods: true, podProtections: { defaultDisabled: [DaemonSetPods] } }',
      expected: ['args.evictLocalStoragePods is true: must be left out beside podProtections, which replaces it'],
    },
    {
      name: 'with two flags of before beside an extra protection',
      args: '{ ignorePvcPods: true, evictDaemonSetPods: true, podProtections: { extraEnabled: [PodsWithPVC] } }',
      expected: [
        'args.evictDaemonSetPods is true: must be left out beside podProtections, which replaces it',
        'args.ignorePvcPods is true: must be left out beside podProtections, which replaces it',
      ],
    },
    {
      name: 'with a flag as text',
      args: '{ evictDaemonSetPods: "false" }',
      expected: ['args.evictDaemonSetPods is "false": must be true or false'],
    },
    {
      name: 'with the config of another protection',
      args: '{ podProtections: { config: { PodsWithoutPDB: {} } } }',
      expected: ['args.podProtections.config.PodsWithoutPDB is {}: there is no such field; there are PodsWithPVC'],
    },
    {
      name: 'with storage classes by their names alone',
      args: '{ podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [fast] } } } }',
      expected: [
        'args.podProtections.config.PodsWithPVC.protectedStorageClasses[0] is "fast": must be an object',
        'args.podProtections.config.PodsWithPVC.protectedStorageClasses[0].name is missing: must be the name of a storage class',
      ],
    },
    {
      name: 'with a storage class without a name',
      args: '{ podProtections: { config: { PodsWithPVC: { protectedStorageClasses: [{ name: "" }] } } } }',
      expected: [
        'args.podProtections.config.PodsWithPVC.protectedStorageClasses[0].name is "": must be the name of a storage class',
      ],
    },
    {
      name: 'with a threshold by value and name',
      args: '{ priorityThreshold: { value: 1, name: high } }',
      expected: ['args.priorityThreshold is {"value":1,"name":"high"}: must have value or name, not both'],
    },
    {
      name: 'with a threshold above the system-critical classes',
      args: '{ priorityThreshold: { value: 2000000001 } }',
      expected: ['args.priorityThreshold.value is 2000000001: must be a whole number from -2147483648 to 2000000000'],
    },
    {
      name: 'with a threshold that is only a number',
      args: '{ priorityThreshold: 10000 }',
      expected: ['args.priorityThreshold is 10000: must be an object'],
    },
    {
      name: 'with fewer than no replicas',
      args: '{ minReplicas: -1 }',
      expected: ['args.minReplicas is -1: must be a whole number of at least 0'],
    },
    {
      name: 'with an age in seconds',
      args: '{ minPodAge: 300 }',
      expected: ['args.minPodAge is 300: must be a duration such as 1h30m, 1.5h, 90s or 300ms'],
    },
    {
      name: 'with an unknown policy on evictions',
      args: '{ noEvictionPolicy: Always }',
      expected: ['args.noEvictionPolicy is "Always": must be one of Preferred, Mandatory'],
    },
    {
      name: 'with nodeFit in other letters',
      args: '{ nodefit: true }',
      expected: ['args.nodefit is true: there is no such field; did you mean nodeFit?'],
    },
    {
      name: 'with a selector of namespaces that selects by a bad key',
      args: '{ namespaceLabelSelector: { matchLabels: { -a: b } } }',
      expected: [
        'args.namespaceLabelSelector.matchLabels is "-a": must be a label key, such as app or example.com/tier',
      ],
    },
    {
      name: 'in all fields that are wrong',
      args: '{ nodeFit: 1, minReplicas: x, minPodAge: soon }',
      expected: [
        'args.minReplicas is "x": must be a whole number of at least 0',
        'args.nodeFit is 1: must be true or false',
        'args.minPodAge is "soon": must be a duration such as 1h30m, 1.5h, 90s or 300ms',
      ],
    },
  ])('$name', ({ args, expected }) => expect(problemsInArgs('DefaultEvictor', args)).toEqual(expected))
})
