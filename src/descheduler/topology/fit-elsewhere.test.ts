import { expect, test } from 'vitest'
import { nodeView, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import type { PodView } from '../view.ts'
import { fitsElsewhereOn } from './fit-elsewhere.ts'

const nodes = ['n1', 'n2', 'n3'].map((name) => nodeView({ name, allocatable: { cpu: 1 } }))
const filler = (nodeName: string, choices: Partial<PodChoices> = {}) =>
  podView({ name: `filler-${nodeName}`, nodeName, requests: { cpu: 1 }, ...choices })
const pod = (nodeName: string, choices: Partial<PodChoices> = {}) =>
  podView({ name: 'web', nodeName, requests: { cpu: '500m' }, labels: { app: 'web' }, ...choices })
const apart = (namespaces: string[] = []) => ({
  antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } }, namespaces }],
})

test.each<{ name: string; asked: PodView; others: PodView[]; expected: boolean }>([
  { name: 'other nodes are free', asked: pod('n1'), others: [], expected: true },
  { name: 'one other node is free', asked: pod('n1'), others: [filler('n2')], expected: true },
  { name: 'its own node alone is free', asked: pod('n1'), others: [filler('n2'), filler('n3')], expected: false },
  {
    name: 'a node that is not its own is free',
    asked: pod('n2'),
    others: [filler('n2'), filler('n3')],
    expected: true,
  },
  {
    name: 'its kind is on all other nodes and it wants to be apart',
    asked: pod('n1', apart()),
    others: [pod('n2', { name: 'x' }), pod('n3', { name: 'y' })],
    expected: false,
  },
  {
    name: 'its kind is on one other node and it wants to be apart',
    asked: pod('n1', apart()),
    others: [pod('n2', { name: 'x' })],
    expected: true,
  },
  {
    name: 'a pod of its own name, in a namespace that it wants to be apart from, is there',
    asked: pod('n1', apart(['default', 'other'])),
    others: [pod('n2', { name: 'x' }), pod('n3', { namespace: 'other' })],
    expected: true,
  },
  {
    name: 'a pod of another name, in a namespace that it wants to be apart from, is there',
    asked: pod('n1', apart(['default', 'other'])),
    others: [pod('n2', { name: 'x' }), pod('n3', { name: 'y', namespace: 'other' })],
    expected: false,
  },
])('if $name it fits elsewhere: $expected', ({ asked, others, expected }) => {
  const state = new CycleState({ pods: [asked, ...others] })
  expect(fitsElsewhereOn(() => nodes, state)(asked)).toBe(expected)
})

test('pods from one template are told apart by their own node', () => {
  const one = pod('n1')
  const two: PodView = { ...one, name: 'web-2', nodeName: 'n2' }
  const state = new CycleState({ pods: [one, two, filler('n2'), filler('n3')] })
  let scans = 0
  const fits = fitsElsewhereOn(() => {
    scans += 1
    return nodes
  }, state)
  expect([fits(one), fits(two), fits(one)]).toEqual([false, true, false])
  expect(scans).toBe(1)
})
