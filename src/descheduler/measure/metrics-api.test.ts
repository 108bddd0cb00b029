import { describe, expect, test } from 'vitest'
import type { Quantities } from '../../api/kubernetes/scheduling.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { amountsOfNode, amountsOfPod, nodeUsageOf, smoothed, type NodeUsage } from './metrics-api.ts'

const usageOf = (cpuMilli: number, memoryBytes: number): NodeUsage => ({ cpuMilli, memoryBytes })

describe('the usage of a node', () => {
  test.each<{ name: string; usage?: Quantities; expected: NodeUsage }>([
    {
      name: 'billionths of a cpu are rounded up',
      usage: { cpu: '137489123n', memory: '2Ki' },
      expected: usageOf(138, 2_048),
    },
    { name: 'whole cpus count as thousand', usage: { cpu: '2', memory: '1Gi' }, expected: usageOf(2_000, 2 ** 30) },
    { name: 'a part of a byte is rounded up', usage: { cpu: '0', memory: '1500m' }, expected: usageOf(0, 2) },
    { name: 'a resource that is missing counts as 0', usage: { memory: '5' }, expected: usageOf(0, 5) },
    { name: 'no usage at all counts as 0', expected: usageOf(0, 0) },
    { name: 'other resources are left out', usage: { cpu: '1m', memory: '1', gpu: '7' }, expected: usageOf(1, 1) },
  ])('$name', ({ usage, expected }) => {
    expect(nodeUsageOf({ metadata: storedMeta({ name: 'n1' }), ...(usage === undefined ? {} : { usage }) })).toEqual(
      expected,
    )
  })

  test('is handed on in thousandths', () => {
    expect(amountsOfNode(usageOf(138, 2_048))).toEqual(
      new Map([
        ['cpu', 138],
        ['memory', 2_048_000],
      ]),
    )
  })
})

describe('smoothing', () => {
  test.each<{ name: string; old?: NodeUsage; measured: NodeUsage; expected: NodeUsage }>([
    { name: 'the first value stays as it is', measured: usageOf(1_399, 7), expected: usageOf(1_399, 7) },
    {
      name: 'a tenth of the way up',
      old: usageOf(1_000, 2_000),
      measured: usageOf(2_000, 1_000),
      expected: usageOf(1_100, 1_900),
    },
    {
      name: 'as in a test of upstream',
      old: usageOf(1_400, 1_714_978_816),
      measured: usageOf(500, 1_714_978_816),
      expected: usageOf(1_310, 1_714_978_816),
    },
    { name: 'down from 1310', old: usageOf(1_310, 0), measured: usageOf(900, 0), expected: usageOf(1_269, 0) },
    {
      name: 'half a unit of the old value is rounded up',
      old: usageOf(5, 5),
      measured: usageOf(0, 0),
      expected: usageOf(5, 5),
    },
    {
      name: 'half a unit of the new value is a little less than half',
      old: usageOf(0, 0),
      measured: usageOf(5, 5),
      expected: usageOf(0, 0),
    },
    {
      name: 'a difference of four units is never made up',
      old: usageOf(96, 96),
      measured: usageOf(100, 100),
      expected: usageOf(96, 96),
    },
    {
      name: 'an equal value changes nothing',
      old: usageOf(333, 999_999_999_999),
      measured: usageOf(333, 999_999_999_999),
      expected: usageOf(333, 999_999_999_999),
    },
  ])('$name', ({ old, measured, expected }) => {
    expect(smoothed(old, measured)).toEqual(expected)
  })
})

describe('the usage of a pod', () => {
  test.each<{ name: string; containers?: (Quantities | undefined)[]; cpu?: number; memory?: number }>([
    { name: 'is that of its container', containers: [{ cpu: '250m', memory: '2Ki' }], cpu: 250, memory: 2_048_000 },
    {
      name: 'is the sum over its containers',
      containers: [
        { cpu: '250m', memory: '1' },
        { cpu: '2', memory: '2' },
      ],
      cpu: 2_250,
      memory: 3_000,
    },
    {
      name: 'is not rounded',
      containers: [
        { cpu: '400000n', memory: '1' },
        { cpu: '400u', memory: '1' },
      ],
      cpu: 0.8,
      memory: 2_000,
    },
    { name: 'may be written with a point', containers: [{ cpu: '0.5', memory: '1.5Ki' }], cpu: 500, memory: 1_536_000 },
    {
      name: 'may be written with any suffix',
      containers: [
        { cpu: '1k', memory: '1G' },
        { cpu: 2, memory: '1Mi' },
      ],
      cpu: 1_002_000,
      memory: 1_001_048_576_000,
    },
    { name: 'may be nothing', containers: [{ cpu: '0', memory: '0' }], cpu: 0, memory: 0 },
    { name: 'is unknown if a container has no cpu', containers: [{ cpu: '1', memory: '1' }, { memory: '1' }] },
    { name: 'is unknown if a container has no memory', containers: [{ cpu: '1' }] },
    { name: 'is unknown if a container has no usage', containers: [undefined] },
    { name: 'is unknown without containers', containers: [] },
    { name: 'is unknown if containers are not told of' },
  ])('$name', ({ containers, cpu, memory }) => {
    const listed = containers?.map((usage) => ({ name: 'c', ...(usage === undefined ? {} : { usage }) }))
    const metadata = storedMeta({ namespace: 'shop', name: 'p' })
    const amounts = amountsOfPod({ metadata, ...(listed === undefined ? {} : { containers: listed }) })
    expect(amounts?.get('cpu')).toBe(cpu)
    expect(amounts?.get('memory')).toBe(memory)
    expect(amounts?.size).toBe(cpu === undefined ? undefined : 2)
  })
})
