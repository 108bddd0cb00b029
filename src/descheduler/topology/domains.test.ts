import { expect, test } from 'vitest'
import { nodeView, podView } from '../../../test/build/descheduler-view.ts'
import { spreadConstraintOf, type SpreadConstraint } from './constraint.ts'
import { Layouts, occupationOf } from './domains.ts'

const node = (name: string, labels: Readonly<Record<string, string>>) => nodeView({ name, labels })
const nodes = [
  node('n1', { zone: 'a', os: 'linux' }),
  node('n2', { zone: 'b', os: 'linux' }),
  node('n3', { zone: 'b', os: 'linux' }),
  node('n4', { zone: 'c', os: 'windows' }),
  node('n5', { os: 'linux' }),
]
const nodesByName = new Map(nodes.map((one) => [one.name, one]))
const layouts = new Layouts(nodes)
const pods = (names: string) => names.split(' ').map((nodeName, index) => podView({ name: `p${index}`, nodeName }))

function constraint(nodeSelector: Readonly<Record<string, string>> = {}): SpreadConstraint {
  const spread = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }
  const parsed = spreadConstraintOf(spread, podView({ name: 'p', nodeSelector }).template)
  if (parsed === undefined) throw new Error('a constraint with a selector is always one')
  return parsed
}

test.each([
  { name: 'all that have the key', selector: {}, domains: ['a', 'b', 'c'], counted: ['n1', 'n2', 'n3', 'n4'] },
  {
    name: 'those that the carrier may use',
    selector: { os: 'linux' },
    domains: ['a', 'b'],
    counted: ['n1', 'n2', 'n3'],
  },
  { name: 'none', selector: { os: 'plan9' }, domains: [], counted: [] },
])('the nodes of a layout are $name', ({ selector, domains, counted }) => {
  const layout = layouts.for(constraint(selector))
  expect([...layout.domains]).toEqual(domains)
  expect(Array.from(layout.nodes.turn(), ({ name }) => name)).toEqual(counted)
})

test('constraints that look at the same nodes share a layout', () => {
  expect(layouts.for(constraint({ os: 'linux' }))).toBe(layouts.for({ ...constraint({ os: 'linux' }), maxSkew: 7 }))
})

test.each([
  {
    name: 'are counted by zone, the smallest first',
    on: 'n1 n2 n3 n3',
    selector: {},
    sizes: { emptyCount: 1, occupied: [1, 3] },
    domains: ['a', 'b'],
  },
  {
    name: 'are counted by name of zone at equal size',
    on: 'n4 n2 n1',
    selector: {},
    sizes: { emptyCount: 0, occupied: [1, 1, 1] },
    domains: ['a', 'b', 'c'],
  },
  { name: 'leave zones empty', on: 'n1', selector: {}, sizes: { emptyCount: 2, occupied: [1] }, domains: ['a'] },
  {
    name: 'make a zone of a node that does not count',
    on: 'n1 n4',
    selector: { os: 'linux' },
    sizes: { emptyCount: 1, occupied: [1, 1] },
    domains: ['a', 'c'],
  },
  {
    name: 'do not count without a zone',
    on: 'n5 n1',
    selector: {},
    sizes: { emptyCount: 2, occupied: [1] },
    domains: ['a'],
  },
  {
    name: 'do not count on a node that is not in the cycle',
    on: 'n9 n1',
    selector: {},
    sizes: { emptyCount: 2, occupied: [1] },
    domains: ['a'],
  },
])('pods $name', ({ on, selector, sizes, domains }) => {
  const occupation = occupationOf(layouts.for(constraint(selector)), pods(on), nodesByName)
  expect(occupation.sizes).toEqual(sizes)
  expect(occupation.domains.map(({ name }) => name)).toEqual(domains)
  expect(domains.map((name) => occupation.sizeOf(name))).toEqual(sizes.occupied)
  expect(occupation.sizeOf('elsewhere')).toBe(0)
})
