import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from './cycle-state.ts'

const owned = { owners: [{ kind: 'ReplicaSet', name: 'web', uid: 'web-uid' }] }
const pods = [
  podView({ name: 'a', nodeName: 'n1', requests: { cpu: '100m', memory: '1Ki' }, ...owned }),
  podView({ name: 'b', nodeName: 'n1', requests: { cpu: '200m' }, ...owned }),
  podView({ name: 'c', nodeName: 'n1', requests: { cpu: '1' }, phase: 'Failed', ...owned }),
  podView({ name: 'd', nodeName: 'n2', owners: [] }),
]

test('knows which pods are on a node, in every phase, and what the active ones request', () => {
  const state = new CycleState({ pods })
  expect(state.podsOn('n1').map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(state.podsOn('n3')).toEqual([])
  expect(Object.fromEntries(state.usedOn('n1'))).toEqual({ cpu: 300, memory: 1_024_000, pods: 2_000 })
  expect(Object.fromEntries(state.usedOn('n3'))).toEqual({ pods: 0 })
})

test('a pod that was sent away is not there any more', () => {
  const state = new CycleState({ pods })
  expect(state.countOfOwner('web-uid')).toBe(3)
  state.usedOn('n1')
  expect(state.vacated).toEqual([])
  const [first] = state.podsOn('n1')
  if (first !== undefined) state.sendAway(first)
  expect(state.podsOn('n1').map(({ name }) => name)).toEqual(['b', 'c'])
  expect(Object.fromEntries(state.usedOn('n1'))).toEqual({ cpu: 200, pods: 1_000 })
  expect(state.countOfOwner('web-uid')).toBe(2)
  expect(state.vacated).toEqual(['n1'])
  expect(state.departed).toEqual([first])
  expect(state.countOfOwner('other-uid')).toBe(0)
})
