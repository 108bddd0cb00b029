import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeView, podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import { obstacleOn } from './node-fit.ts'
import { NodeTable } from './node-table.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

const names = ['n0', 'n1', 'n2', 'n3']
const taint = { key: 'gpu', effect: 'NoSchedule' } as const
const cpuOf = fc.constantFrom('500m', '1', '1500m', '3')
const nodes = fc
  .tuple(
    ...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        isCordoned: fc.nat(4).map((drawn) => drawn === 0),
        labels: fc.constantFrom({}, { pool: 'a' }, { pool: 'b' }),
        taints: fc.constantFrom([], [], [taint]),
        allocatable: fc.record({ cpu: cpuOf, memory: fc.constantFrom('1Gi', '2Gi'), pods: fc.constantFrom(1, 2, 110) }),
      }),
    ),
  )
  .map((choices) => choices.map(nodeView))
const pods = fc.array(
  fc.record({
    nodeName: fc.constantFrom(...names),
    requests: fc.record({ cpu: cpuOf, memory: fc.constantFrom('512Mi', '1025Mi'), gpu: fc.constantFrom(0, 1) }),
    nodeSelector: fc.constantFrom({}, {}, { pool: 'a' }),
    tolerations: fc.constantFrom([], [{ key: 'gpu', operator: 'Exists' as const }]),
  }),
  { minLength: 1, maxLength: 10 },
)

function plainLook(template: PodTemplateView, node: NodeView, state: CycleState, ignoresCordon: boolean) {
  return obstacleOn(ignoresCordon ? { ...node, isCordoned: false } : node, template, state)
}

test('says what a look at each node says, while pods leave', () => {
  fc.assert(
    fc.property(nodes, pods, fc.boolean(), (drawnNodes, choices, ignoresCordon) => {
      const drawnPods: PodView[] = choices.map((choice, index) => podView({ name: `p${index}`, ...choice }))
      const state = new CycleState({ pods: drawnPods })
      const table = new NodeTable(drawnNodes, state)
      const looks = drawnPods.map(({ template }) => ({ template, look: table.lookFor(template, { ignoresCordon }) }))
      const compare = () => {
        for (const { template, look } of looks) {
          const expected = drawnNodes.map((node) => plainLook(template, node, state, ignoresCordon))
          expect(drawnNodes.map((_, position) => look(position))).toEqual(expected)
        }
      }
      compare()
      for (const pod of drawnPods) {
        state.sendAway(pod)
        compare()
      }
    }),
    { numRuns: 200 },
  )
})

test('more taints than a byte can number are told apart', () => {
  const many = Array.from({ length: 400 }, (_, at) =>
    nodeView({ name: `n${at}`, taints: [{ key: `taint-${at}`, effect: 'NoSchedule' }] }),
  )
  const { template } = podView({ name: 'p' })
  const look = new NodeTable(many, new CycleState({ pods: [] })).lookFor(template, { ignoresCordon: false })
  const told = () => many.map((_, position) => look(position))
  const expected = many.map((_, at) => `has the taint taint-${at}`)
  // What it says the second time is what it has kept.
  expect([told(), told()]).toEqual([expected, expected])
})
