import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodes } from '../kinds/cluster-kinds.ts'
import { pods } from '../kinds/pods.ts'
import { Store } from '../store.ts'
import type { AdmissionRequest } from './admission.ts'
import { defaultTolerations, priorities } from './pod-defaults.ts'

const request = (spec: object, extra: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  definition: pods,
  subresource: undefined,
  namespace: 'shop',
  name: 'a',
  user: { name: 'x', groups: [] },
  dryRun: false,
  object: { metadata: { name: 'a' }, spec },
  oldObject: undefined,
  options: undefined,
  ...extra,
})

describe('tolerations', () => {
  test.each([
    {
      name: 'both are added',
      tolerations: [],
      keys: ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
    },
    {
      name: 'one that is there stays',
      tolerations: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }],
      keys: ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'],
    },
    { name: 'who tolerates all needs none', tolerations: [{ operator: 'Exists' }], keys: [undefined] },
  ])('$name', ({ tolerations, keys }) => {
    const made = defaultTolerations.mutate?.(request({ tolerations }), []) as unknown as {
      spec: { tolerations: { key?: string }[] }
    }
    expect(made.spec.tolerations.map(({ key }) => key)).toEqual(keys)
  })

  test('other kinds are left alone', () => {
    expect(defaultTolerations.mutate?.(request({}, { definition: nodes }), [])).toEqual({
      metadata: { name: 'a' },
      spec: {},
    })
  })
})

describe('priorities', () => {
  const store = new Store()
  store.put('priorityclasses.scheduling.k8s.io', 'high', { metadata: storedMeta({ name: 'high' }), value: 1_000 })

  test.each([
    { name: 'none is 0', spec: {}, expected: { priority: 0, preemptionPolicy: 'PreemptLowerPriority' } },
    { name: 'a class gives its value', spec: { priorityClassName: 'high' }, expected: { priority: 1_000 } },
    {
      name: 'the classes of the system are always there',
      spec: { priorityClassName: 'system-node-critical' },
      expected: { priority: 2_000_001_000 },
    },
  ])('$name', ({ spec, expected }) => {
    expect(priorities(store).mutate?.(request(spec), [])).toMatchObject({ spec: expected })
  })

  test('a class that is not there is refused', () => {
    expect(() => priorities(store).mutate?.(request({ priorityClassName: 'none' }), [])).toThrow(
      'no PriorityClass with name none was found',
    )
  })

  test('the default class of the cluster is named', () => {
    const withDefault = new Store()
    withDefault.put('priorityclasses.scheduling.k8s.io', 'usual', {
      metadata: storedMeta({ name: 'usual' }),
      value: 7,
      globalDefault: true,
    })
    expect(priorities(withDefault).mutate?.(request({}), [])).toMatchObject({
      spec: { priorityClassName: 'usual', priority: 7 },
    })
  })
})
