import { describe, expect, test } from 'vitest'
import type { PodChoices } from '../../../test/build/descheduler-view.ts'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import type { PodView } from '../view.ts'
import { PodAffinity } from './pod-affinity.ts'

// Two nodes in zone a, one in zone b, one in no zone. The pod that asks is on the first.
const nodes = ['a', 'a', 'b', undefined].map((zone, index) => ({
  name: `n${index + 1}`,
  labels: { host: `n${index + 1}`, ...(zone === undefined ? {} : { zone }) },
}))
const namespaces = new Map([
  ['default', { team: 'x' }],
  ['bank', { team: 'y' }],
])
const of = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app } },
  ...more,
})

const words: Readonly<Record<string, string>> = {
  fits: 'fits',
  'is near a pod that its anti-affinity keeps it away from': 'away',
  'is near a pod whose anti-affinity keeps it away': 'kept away',
  'is not near the pods that its affinity asks for': 'far',
  'has no label that its affinity to pods asks for': 'no label',
}

function verdicts(pods: readonly PodView[], leaving: readonly PodView[] = []): string[] {
  const [asking] = pods
  if (asking === undefined) throw new Error('a pod')
  const ground = new FitGround(nodes, pods)
  const affinity = new PodAffinity(ground.topology, ground.cohorts, namespaces)
  for (const _ of affinity.prepare());
  ground.verdictsOn(affinity, asking)
  for (const pod of leaving) ground.cohorts.leave(pod)
  return ground.verdictsOn(affinity, asking).map((verdict) => words[verdict] ?? verdict)
}

type Pod = Omit<PodChoices, 'name'>
interface Row {
  readonly name: string
  readonly pod: Pod
  readonly others?: readonly Pod[]
  readonly expected: readonly string[]
}

const db = (nodeName: string, more: Pod = {}): Pod => ({ nodeName, labels: { app: 'db' }, ...more })
const web = (nodeName: string, more: Pod = {}): Pod => ({ nodeName, ...more })

const ownAntiAffinity: readonly Row[] = [
  {
    name: 'without wishes it fits everywhere',
    pod: {},
    others: [db('n1')],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
  {
    name: 'it holds over the whole domain, and not where there is none',
    pod: { antiAffinity: [of('db')] },
    others: [db('n2'), db('n4')],
    expected: ['away', 'away', 'fits', 'fits'],
  },
  {
    name: 'it holds on the node alone where that is the domain',
    pod: { antiAffinity: [of('db', { topologyKey: 'host' })] },
    others: [db('n2')],
    expected: ['fits', 'away', 'fits', 'fits'],
  },
  {
    name: 'the pod does not keep itself away',
    pod: { antiAffinity: [of('web')] },
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
  {
    name: 'another of its kind in its own zone keeps it away from there',
    pod: { antiAffinity: [of('web')] },
    others: [web('n2')],
    expected: ['away', 'away', 'fits', 'fits'],
  },
  {
    name: 'it is about its own namespace',
    pod: { antiAffinity: [of('db')] },
    others: [db('n3', { namespace: 'bank' })],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
  {
    name: 'it may be about another namespace',
    pod: { antiAffinity: [of('db', { namespaces: ['bank'] })] },
    others: [db('n3', { namespace: 'bank' }), db('n2')],
    expected: ['fits', 'fits', 'away', 'fits'],
  },
  {
    name: 'it may select namespaces',
    pod: { antiAffinity: [of('db', { namespaceSelector: { matchLabels: { team: 'y' } } })] },
    others: [db('n3', { namespace: 'bank' }), db('n2')],
    expected: ['fits', 'fits', 'away', 'fits'],
  },
  {
    name: 'it may be about its own version alone',
    pod: { labels: { app: 'web', version: '1' }, antiAffinity: [of('web', { matchLabelKeys: ['version'] })] },
    others: [web('n2', { labels: { app: 'web', version: '2' } }), web('n3', { labels: { app: 'web', version: '1' } })],
    expected: ['fits', 'fits', 'away', 'fits'],
  },
  {
    name: 'it may be about other versions alone',
    pod: { labels: { app: 'web', version: '1' }, antiAffinity: [of('web', { mismatchLabelKeys: ['version'] })] },
    others: [web('n2', { labels: { app: 'web', version: '2' } }), web('n3', { labels: { app: 'web', version: '1' } })],
    expected: ['away', 'away', 'fits', 'fits'],
  },
  {
    name: 'a pod that is over keeps none away, one that is being deleted does',
    pod: { antiAffinity: [of('db')] },
    others: [db('n2', { phase: 'Succeeded' }), db('n3', { isTerminating: true })],
    expected: ['fits', 'fits', 'away', 'fits'],
  },
  {
    name: 'a term without a selector keeps it away from nothing',
    pod: { antiAffinity: [{ topologyKey: 'zone' }] },
    others: [db('n2')],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
]

const othersAntiAffinity: readonly Row[] = [
  {
    name: 'it repels over the whole domain',
    pod: {},
    others: [db('n2', { antiAffinity: [of('web')] })],
    expected: ['kept away', 'kept away', 'fits', 'fits'],
  },
  {
    name: 'it does not repel pods that it is not about',
    pod: {},
    others: [db('n2', { antiAffinity: [of('mail')] })],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
  {
    name: 'it is about the namespace of the pod that has it',
    pod: {},
    others: [db('n3', { namespace: 'bank', antiAffinity: [of('web')] })],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
  {
    name: 'it may select the namespace of the pod that asks',
    pod: {},
    others: [db('n3', { namespace: 'bank', antiAffinity: [of('web', { namespaceSelector: {} })] })],
    expected: ['fits', 'fits', 'kept away', 'fits'],
  },
  {
    name: 'it takes the version from the pod that has it',
    pod: { labels: { app: 'web', version: '1' } },
    others: [
      web('n2', { labels: { app: 'web', version: '2' }, antiAffinity: [of('web', { matchLabelKeys: ['version'] })] }),
      web('n3', { labels: { app: 'web', version: '1' }, antiAffinity: [of('web', { matchLabelKeys: ['version'] })] }),
    ],
    expected: ['fits', 'fits', 'kept away', 'fits'],
  },
  {
    name: 'that of a pod that is over repels none',
    pod: {},
    others: [db('n2', { phase: 'Failed', antiAffinity: [of('web')] })],
    expected: ['fits', 'fits', 'fits', 'fits'],
  },
]

const affinity: readonly Row[] = [
  {
    name: 'it fits where the others are, by zone',
    pod: { podAffinity: [of('db')] },
    others: [db('n3')],
    expected: ['far', 'far', 'fits', 'no label'],
  },
  {
    name: 'without the others it fits nowhere',
    pod: { podAffinity: [of('db')] },
    expected: ['far', 'far', 'far', 'no label'],
  },
  {
    name: 'the only pod of a group may go anywhere that has the label',
    pod: { podAffinity: [of('web')] },
    expected: ['fits', 'fits', 'fits', 'no label'],
  },
  {
    name: 'the last pod of a group in a zone joins the others',
    pod: { podAffinity: [of('web')] },
    others: [web('n3')],
    expected: ['far', 'far', 'fits', 'no label'],
  },
  {
    name: 'one of two in a zone may stay in it',
    pod: { podAffinity: [of('web')] },
    others: [web('n2')],
    expected: ['fits', 'fits', 'far', 'no label'],
  },
  {
    name: 'others of the group where there is no zone are none to join',
    pod: { podAffinity: [of('web')] },
    others: [web('n4')],
    expected: ['fits', 'fits', 'fits', 'no label'],
  },
  {
    name: 'two terms ask for pods that both are about',
    pod: { podAffinity: [of('db'), { topologyKey: 'zone', labelSelector: { matchLabels: { tier: '1' } } }] },
    others: [db('n2'), db('n3', { labels: { app: 'db', tier: '1' } })],
    expected: ['far', 'far', 'fits', 'no label'],
  },
  {
    name: 'two terms may have different domains',
    pod: { podAffinity: [of('db'), of('db', { topologyKey: 'host' })] },
    others: [db('n2')],
    expected: ['far', 'fits', 'far', 'no label'],
  },
  {
    name: 'it may select namespaces',
    pod: { podAffinity: [of('db', { namespaceSelector: { matchLabels: { team: 'y' } } })] },
    others: [db('n2'), db('n3', { namespace: 'bank' })],
    expected: ['far', 'far', 'fits', 'no label'],
  },
  {
    name: 'it may be about its own version alone',
    pod: { labels: { app: 'web', version: '1' }, podAffinity: [of('db', { matchLabelKeys: ['version'] })] },
    others: [db('n2', { labels: { app: 'db', version: '2' } }), db('n3', { labels: { app: 'db', version: '1' } })],
    expected: ['far', 'far', 'fits', 'no label'],
  },
]

describe.each([
  { about: 'its own anti-affinity', rows: ownAntiAffinity },
  { about: 'the anti-affinity of another pod', rows: othersAntiAffinity },
  { about: 'its affinity', rows: affinity },
])('$about', ({ rows }) => {
  test.each(rows)('$name', ({ pod, others = [], expected }) => {
    // Its own node is not asked about in earnest: the pod is on n1, and where n1 is a domain of its own it says nothing.
    expect(verdicts(podsOf([pod, ...others]))).toEqual(expected)
  })
})

describe('once the others have left', () => {
  test.each([
    {
      name: 'its anti-affinity keeps it away no more',
      pod: { antiAffinity: [of('db')] },
      others: [db('n3')],
      expected: 'fits',
    },
    {
      name: 'theirs keeps it away no more',
      pod: {},
      others: [db('n3', { antiAffinity: [of('web')] })],
      expected: 'fits',
    },
    { name: 'its affinity has no place to go', pod: { podAffinity: [of('db')] }, others: [db('n3')], expected: 'far' },
    { name: 'it is the first of its group', pod: { podAffinity: [of('web')] }, others: [web('n2')], expected: 'fits' },
  ])('$name', ({ pod, others, expected }) => {
    const pods = podsOf([pod, ...others])
    expect(verdicts(pods)[2]).not.toBe(expected)
    expect(verdicts(pods, pods.slice(1))[2]).toBe(expected)
  })
})
