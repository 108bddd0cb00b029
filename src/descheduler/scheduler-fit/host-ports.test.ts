import { describe, expect, test } from 'vitest'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import type { PodChoices } from '../../../test/build/descheduler-view.ts'
import { atOnce } from '../plugin.ts'
import { HostPorts } from './host-ports.ts'

const port = (number: number, more: { protocol?: string; ip?: string } = {}) => ({
  protocol: 'TCP',
  ip: '0.0.0.0',
  port: number,
  ...more,
})
const taken = (name: string) => `has a pod on the host port ${name}`
type Pod = Omit<PodChoices, 'name'>
const rows: readonly {
  readonly name: string
  readonly wanted: Pod['hostPorts']
  readonly there: Pod
  readonly expected: string
}[] = [
  { name: 'it wants none', wanted: [], there: { hostPorts: [port(80)] }, expected: 'fits' },
  { name: 'the same port', wanted: [port(80)], there: { hostPorts: [port(80)] }, expected: taken('TCP/80') },
  { name: 'another port', wanted: [port(80)], there: { hostPorts: [port(81)] }, expected: 'fits' },
  {
    name: 'another protocol',
    wanted: [port(80)],
    there: { hostPorts: [port(80, { protocol: 'UDP' })] },
    expected: 'fits',
  },
  {
    name: 'the same address',
    wanted: [port(80, { ip: '10.0.0.1' })],
    there: { hostPorts: [port(80, { ip: '10.0.0.1' })] },
    expected: taken('TCP/80'),
  },
  {
    name: 'another address',
    wanted: [port(80, { ip: '10.0.0.1' })],
    there: { hostPorts: [port(80, { ip: '10.0.0.2' })] },
    expected: 'fits',
  },
  {
    name: 'one address, and every address is taken',
    wanted: [port(80, { ip: '10.0.0.1' })],
    there: { hostPorts: [port(80)] },
    expected: taken('TCP/80'),
  },
  {
    name: 'every address, and one is taken',
    wanted: [port(80)],
    there: { hostPorts: [port(80, { ip: '10.0.0.1' })] },
    expected: taken('TCP/80'),
  },
  {
    name: 'the second of two',
    wanted: [port(80), port(81)],
    there: { hostPorts: [port(81)] },
    expected: taken('TCP/81'),
  },
  {
    name: 'the pod there is over',
    wanted: [port(80)],
    there: { hostPorts: [port(80)], phase: 'Failed' },
    expected: 'fits',
  },
  {
    name: 'the pod there is being deleted',
    wanted: [port(80)],
    there: { hostPorts: [port(80)], isTerminating: true },
    expected: taken('TCP/80'),
  },
]

describe('a node with a pod on a port', () => {
  test.each(rows)('$name', ({ wanted = [], there, expected }) => {
    const pods = podsOf([{ hostPorts: wanted }, { nodeName: 'n2', ...there }])
    const [asking, other] = pods
    if (asking === undefined || other === undefined) throw new Error('two pods')
    const ground = new FitGround([{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }], pods)
    const ports = new HostPorts(ground.topology, ground.cohorts)
    expect(ground.verdictsOn(ports, asking).slice(1)).toEqual([expected, 'fits'])
    const rules = atOnce(ports.rulesFor(asking))
    const before = rules.map(({ version }) => version)
    ground.cohorts.leave(other)
    expect(ground.verdictsOn(ports, asking)[1]).toBe('fits')
    if (expected !== 'fits') expect(rules.map(({ version }) => version)).not.toEqual(before)
  })
})
