import { describe, expect, test } from 'vitest'
import type { Evacuator } from '../api/evacuation/evacuator.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { stored, storedMeta } from '../../test/build/stored.ts'
import { decideAsking } from './claims.ts'
import type { Claims, EvacuationView } from './view.ts'

const podRef = { name: 'web-0', uid: '11111111-1111-1111-1111-111111111111' }
const deployment: Evacuator = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
const view: EvacuationView = {
  evacuation: {
    metadata: storedMeta({
      name: `${podRef.uid}-web-0`,
      namespace: 'shop',
      finalizers: ['evacuation.coordination.k8s.io/instigator_drill.example.com'],
    }),
    spec: { podRef, progressDeadlineSeconds: 1_800 },
  },
  pod: stored({ metadata: { ...podRef, namespace: 'shop' }, spec: { containers: [] } }),
  lastEviction: undefined,
  claims: undefined,
  settings: { podEvictPolicy: true, controllerEvictTimeoutMs: 60_000 },
}

async function ask(answers: { readonly recent: readonly Evacuator[]; readonly fresh: readonly Evacuator[] }) {
  const asked: string[] = []
  const remembered: Claims[] = []
  const decision = await decideAsking(view, {
    clock: new VirtualClock(),
    lookups: {
      claims: async (_pod, { isFresh }) => {
        asked.push(isFresh ? 'fresh' : 'recent')
        return isFresh ? answers.fresh : answers.recent
      },
      node: async () => {
        throw new Error('its node is not asked about')
      },
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

describe('the node of a pod that should have ended', () => {
  const deletionTimestamp = '2025-12-31T00:00:00Z'
  const terminating = (nodeName?: string): EvacuationView => ({
    ...view,
    pod: {
      metadata: storedMeta({ ...podRef, namespace: 'shop', deletionTimestamp, deletionGracePeriodSeconds: 30 }),
      spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
    },
  })
  const ready = (status: 'True' | 'Unknown') => ({
    metadata: storedMeta({ name: 'node-1' }),
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: deletionTimestamp }] },
  })

  test.each([
    { name: 'silent', nodeName: 'node-1', node: ready('Unknown'), expected: { kind: 'silentNode', asked: 1 } },
    { name: 'up', nodeName: 'node-1', node: ready('True'), expected: { kind: 'terminating', asked: 1 } },
    { name: 'gone', nodeName: 'node-1', node: undefined, expected: { kind: 'terminating', asked: 1 } },
    { name: 'none', nodeName: undefined, node: undefined, expected: { kind: 'terminating', asked: 0 } },
  ])('is looked at: $name', async ({ nodeName, node, expected }) => {
    let asked = 0
    const decision = await decideAsking(terminating(nodeName), {
      clock: new VirtualClock(),
      lookups: {
        claims: async () => [],
        node: async () => {
          asked++
          return node
        },
      },
      remember: () => {},
      signal: new AbortController().signal,
    })
    expect({ kind: decision.kind === 'wait' ? decision.blocker?.kind : undefined, asked }).toEqual(expected)
  })
})
