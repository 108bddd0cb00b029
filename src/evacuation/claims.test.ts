import { expect, test } from 'vitest'
import type { Evacuator } from '../api/evacuator.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { decideAsking } from './claims.ts'
import type { Claims, EvacuationView } from './view.ts'

const podRef = { name: 'web-0', uid: '11111111-1111-1111-1111-111111111111' }
const deployment: Evacuator = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
const view: EvacuationView = {
  evacuation: {
    metadata: {
      name: `${podRef.uid}-web-0`,
      namespace: 'shop',
      finalizers: ['evacuation.coordination.k8s.io/instigator_drill.example.com'],
    },
    spec: { podRef, progressDeadlineSeconds: 1_800 },
  },
  pod: { metadata: { ...podRef, namespace: 'shop' }, spec: { containers: [] } },
  lastEviction: undefined,
  claims: undefined,
  settings: { podEvictPolicy: true, controllerEvictTimeoutMs: 60_000 },
}

async function ask(answers: { readonly recent: readonly Evacuator[]; readonly fresh: readonly Evacuator[] }) {
  const asked: string[] = []
  const remembered: Claims[] = []
  const decision = await decideAsking(view, {
    clock: new VirtualClock(),
    lookup: async (_pod, { isFresh }) => {
      asked.push(isFresh ? 'fresh' : 'recent')
      return isFresh ? answers.fresh : answers.recent
    },
    remember: (claims) => void remembered.push(claims),
    signal: new AbortController().signal,
  })
  return { kind: decision.kind, asked, remembered: remembered.length }
}

test.each([
  {
    name: 'a pod that nobody claims is asked about once',
    answers: { recent: [], fresh: [] },
    expected: { kind: 'evict', asked: ['recent'], remembered: 1 },
  },
  {
    name: 'a claim that the Evacuation lacks is looked up once more before the Evacuation ends',
    answers: { recent: [deployment], fresh: [deployment] },
    expected: { kind: 'endIncomplete', asked: ['recent', 'fresh'], remembered: 2 },
  },
  {
    name: 'a claim that no longer holds ends nothing',
    answers: { recent: [deployment], fresh: [] },
    expected: { kind: 'evict', asked: ['recent', 'fresh'], remembered: 2 },
  },
])('$name', async ({ answers, expected }) => {
  expect(await ask(answers)).toEqual(expected)
})
