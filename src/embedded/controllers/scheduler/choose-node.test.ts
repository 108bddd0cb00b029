import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import { chooseNode, renderRefusals } from './choose-node.ts'
import { viewPod } from './filter-node.ts'
import { Ledger } from './ledger.ts'

function choose(nodeNames: readonly string[], spec: object = {}, startAt = 0) {
  const ledger = new Ledger()
  for (const name of nodeNames) ledger.putNode(nodeNamed(name))
  return chooseNode(
    viewPod({ metadata: storedMeta(), spec }, ledger, () => ({})),
    ledger,
    startAt,
  )
}

const onlyOn = (name: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
      },
    },
  },
})
const many = Array.from({ length: 500 }, (_, index) => `node-${String(index).padStart(3, '0')}`)

describe('a choice', () => {
  test('without nodes is none', () => {
    expect(choose([])).toEqual({ kind: 'none', message: 'no nodes available to schedule pods' })
  })

  test('among many looks at some, and begins where it is told to', () => {
    expect(choose(many)).toEqual({ kind: 'node', nodeName: 'node-000', checked: 50 })
    expect(choose(many, {}, 450)).toEqual({ kind: 'node', nodeName: 'node-450', checked: 50 })
  })

  test('of a pod that names its node looks at that one alone', () => {
    expect(choose(many, onlyOn('node-321'))).toEqual({ kind: 'node', nodeName: 'node-321', checked: 1 })
    expect(choose(['a', 'b'], onlyOn('gone'))).toEqual({
      kind: 'none',
      message:
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. preemption: " +
        '0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    })
  })
})

test('reasons are counted and sorted as text', () => {
  const full = { reasons: ['Insufficient cpu', 'Too many pods'], helpedByPreemption: true }
  const cordoned = { reasons: ['node(s) were unschedulable'], helpedByPreemption: false }
  expect(renderRefusals([full, full, cordoned])).toBe(
    '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Too many pods. preemption: ' +
      '0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  )
})
