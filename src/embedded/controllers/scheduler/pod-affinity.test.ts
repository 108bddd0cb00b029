import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import type { Pod } from '../objects.ts'
import { Ledger } from './ledger.ts'
import { affinityCheck } from './pod-affinity.ts'

const nodes = [nodeNamed('a', { labels: { zone: '1' } }), nodeNamed('b', { labels: { zone: '2' } }), nodeNamed('c')]
const term = (options: object = {}) => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app: 'db' } },
  ...options,
})
const affinity = (kind: 'podAffinity' | 'podAntiAffinity', ...terms: object[]) => ({
  affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})

function podOf(options: { labels?: object; namespace?: string; spec?: object; nodeName?: string } = {}): Pod {
  const { labels = {}, namespace = 'default', spec = {}, nodeName } = options
  return {
    metadata: storedMeta({ namespace, labels: labels as Record<string, string> }),
    spec: { ...spec, ...(nodeName === undefined ? {} : { nodeName }) },
  }
}

function verdicts(pod: Pod, there: readonly Pod[]) {
  const ledger = new Ledger()
  for (const node of nodes) ledger.putNode(node)
  for (const [index, placed] of there.entries()) ledger.putPod(`pod-${index}`, placed)
  const check = affinityCheck(pod, ledger, (namespace): Record<string, string> =>
    namespace === 'other' ? { team: 'x' } : {},
  )
  return nodes.map(check)
}

const dbOnA = podOf({ labels: { app: 'db' }, nodeName: 'a' })

describe('a pod', () => {
  test.each([
    { name: 'without wishes fits', pod: podOf(), expected: ['fits', 'fits', 'fits'] },
    {
      name: 'that keeps away from others does so within the topology, not where there is none',
      pod: podOf({ spec: affinity('podAntiAffinity', term()) }),
      expected: ['antiAffinity', 'fits', 'fits'],
    },
    {
      name: 'that wants to be near others only fits there',
      pod: podOf({ spec: affinity('podAffinity', term()) }),
      expected: ['fits', 'affinity', 'affinity'],
    },
    {
      name: 'of another namespace means its own',
      pod: podOf({ namespace: 'other', spec: affinity('podAntiAffinity', term()) }),
      expected: ['fits', 'fits', 'fits'],
    },
    {
      name: 'of another namespace may mean this one',
      pod: podOf({ namespace: 'other', spec: affinity('podAntiAffinity', term({ namespaces: ['default'] })) }),
      expected: ['antiAffinity', 'fits', 'fits'],
    },
    {
      name: 'may mean all namespaces',
      pod: podOf({ namespace: 'other', spec: affinity('podAntiAffinity', term({ namespaceSelector: {} })) }),
      expected: ['antiAffinity', 'fits', 'fits'],
    },
    {
      name: 'that must be near two kinds is near pods that are both',
      pod: podOf({ spec: affinity('podAffinity', term(), term({ labelSelector: { matchLabels: { app: 'web' } } })) }),
      expected: ['affinity', 'affinity', 'affinity'],
    },
  ])('$name', ({ pod, expected }) => {
    expect(verdicts(pod, [dbOnA])).toEqual(expected)
  })

  test('that is the first of its group may go anywhere that has the topology', () => {
    const first = podOf({ labels: { app: 'db' }, spec: affinity('podAffinity', term()) })
    expect(verdicts(first, [])).toEqual(['fits', 'fits', 'affinity'])
    expect(verdicts(podOf({ spec: affinity('podAffinity', term()) }), [])).toEqual(['affinity', 'affinity', 'affinity'])
  })

  test('is kept out by those who want to be alone', () => {
    const alone = podOf({ labels: { app: 'x' }, nodeName: 'b', spec: affinity('podAntiAffinity', term()) })
    expect(verdicts(podOf({ labels: { app: 'db' } }), [alone])).toEqual(['fits', 'antiAffinityOfOthers', 'fits'])
    expect(verdicts(podOf({ labels: { app: 'web' } }), [alone])).toEqual(['fits', 'fits', 'fits'])
  })
})
