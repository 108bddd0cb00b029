import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed } from '../../../../test/build/controller-ground.ts'
import type { Pod, Service } from '../objects.ts'
import { buildSlices, buildSubsets, endpointsPerSliceMax } from './build-endpoints.ts'

const serviceOf = (spec: object = {}): Service => ({
  metadata: storedMeta({ name: 'web', namespace: 'default' }),
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'web' }], ...spec },
})

function podNamed(
  name: string,
  options: { ready?: boolean; labels?: Record<string, string>; metadata?: object; ip?: string } = {},
): Pod {
  const { ready = true, labels = { app: 'web' }, metadata = {}, ip = '10.0.0.1' } = options
  return {
    metadata: storedMeta({ name, namespace: 'default', uid: name, labels, ...metadata }),
    spec: { nodeName: 'one', containers: [{ name: 'main', ports: [{ name: 'web', containerPort: 8080 }] }] },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}

const zoned = nodeNamed('one', { labels: { 'topology.kubernetes.io/zone': 'a' } })
const viewOf = (pods: readonly Pod[], service = serviceOf()) => ({ service, pods, nodeOf: () => zoned })
const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' }

describe('a slice', () => {
  test.each([
    {
      name: 'has a ready pod as ready',
      pod: podNamed('a'),
      conditions: { ready: true, serving: true, terminating: false },
    },
    {
      name: 'has one that is not as such',
      pod: podNamed('a', { ready: false }),
      conditions: { ready: false, serving: false, terminating: false },
    },
    {
      name: 'has one on its way out as serving',
      pod: podNamed('a', { metadata: leaving }),
      conditions: { ready: false, serving: true, terminating: true },
    },
  ])('$name', ({ pod, conditions }) => {
    expect(buildSlices(viewOf([pod]))).toEqual([
      {
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            conditions,
            nodeName: 'one',
            zone: 'a',
            targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: 'a' },
          },
        ],
        ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
      },
    ])
  })

  test('leaves out pods of others, and those without an address', () => {
    const pods = [podNamed('a', { labels: { app: 'db' } }), podNamed('b', { ip: '' })]
    expect(buildSlices(viewOf(pods))[0]?.endpoints).toEqual([])
  })

  test('is followed by another when it is full', () => {
    const pods = Array.from({ length: endpointsPerSliceMax + 1 }, (_, index) => podNamed(`pod-${index}`))
    expect(buildSlices(viewOf(pods)).map(({ endpoints }) => endpoints.length)).toEqual([endpointsPerSliceMax, 1])
  })
})

test('the older form tells the ready from the others, and leaves out who goes', () => {
  const pods = [podNamed('a'), podNamed('b', { ready: false, ip: '10.0.0.2' }), podNamed('c', { metadata: leaving })]
  expect(buildSubsets(viewOf(pods))).toMatchObject([
    { addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [{ port: 8080 }] },
  ])
  expect(buildSubsets(viewOf([]))).toEqual([])
})
