import { expect, test } from 'vitest'
import { nodes } from '../../server/kinds/cluster-kinds.ts'
import { disruptionBudgets } from '../../server/kinds/disruption-budgets.ts'
import { pods } from '../../server/kinds/pods.ts'
import { aggregatedDiscovery, aggregatedMediaType, wantsAggregated } from './aggregated-discovery.ts'

test.each([
  { accept: `${aggregatedMediaType},application/json`, expected: true },
  { accept: 'application/json', expected: false },
  { accept: `application/json,${aggregatedMediaType}`, expected: false },
  { accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList', expected: false },
  { accept: undefined, expected: false },
])('$accept: $expected', ({ accept, expected }) => {
  expect(wantsAggregated(accept)).toBe(expected)
})

test('the core group has a document of its own, without a name', () => {
  expect(aggregatedDiscovery([pods, nodes, disruptionBudgets], 'api')).toMatchObject({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            freshness: 'Current',
            resources: [
              { resource: 'nodes', scope: 'Cluster', responseKind: { group: '', version: 'v1', kind: 'Node' } },
              {
                resource: 'pods',
                scope: 'Namespaced',
                singularResource: 'pod',
                shortNames: ['po'],
                subresources: [
                  { subresource: 'status', responseKind: { kind: 'Pod' } },
                  { subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
                  { subresource: 'binding' },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
})

test('the others are named', () => {
  expect(aggregatedDiscovery([pods, disruptionBudgets], 'apis')).toMatchObject({
    items: [{ metadata: { name: 'policy' }, versions: [{ resources: [{ resource: 'poddisruptionbudgets' }] }] }],
  })
})
