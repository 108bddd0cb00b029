import { expect, test } from 'vitest'
import { nodeView, openEvictor, podView } from '../../../test/build/descheduler-view.ts'
import { breath, type Outcome } from '../plugin.ts'
import { leavableOf } from '../cycle/pods-listed.ts'
import { nodeByNode } from './node-by-node.ts'

const nodes = ['n1', 'n2', 'n3'].map((name) => nodeView({ name }))
const wantedOn = ({ name }: { name: string }) =>
  leavableOf(
    ['a', 'b'].map((pod) => podView({ name: `${pod}-${name}`, nodeName: name })),
    openEvictor,
  )

interface Row {
  readonly name: string
  /** By pod; it leaves if there is none. */
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly expected: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'every pod of every node is named',
    outcomes: {},
    expected: ['breath', 'a-n1', 'b-n1', 'breath', 'a-n2', 'b-n2', 'breath', 'a-n3', 'b-n3'],
  },
  {
    name: 'at the limit of a node the next node follows',
    outcomes: { 'a-n2': 'nodeLimit' },
    expected: ['breath', 'a-n1', 'b-n1', 'breath', 'a-n2', 'breath', 'a-n3', 'b-n3'],
  },
  {
    name: 'at the limit of a namespace, or if it is refused, the next pod follows',
    outcomes: { 'a-n1': 'namespaceLimit', 'a-n2': 'refused' },
    expected: ['breath', 'a-n1', 'b-n1', 'breath', 'a-n2', 'b-n2', 'breath', 'a-n3', 'b-n3'],
  },
  {
    name: 'at the total limit everything ends',
    outcomes: { 'b-n1': 'totalLimit' },
    expected: ['breath', 'a-n1', 'b-n1'],
  },
]

test.each(rows)('$name', ({ outcomes, expected }) => {
  const named: string[] = []
  const nominations = nodeByNode({ nodes }, wantedOn)
  let outcome: Outcome = 'leaves'
  for (let next = nominations.next(); next.done !== true; next = nominations.next(outcome)) {
    const name = next.value === breath ? 'breath' : next.value.name
    named.push(name)
    outcome = outcomes[name] ?? 'leaves'
  }
  expect(named).toEqual(expected)
})
