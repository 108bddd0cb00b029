import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { templateOf } from '../../../../test/build/controller-ground.ts'
import { buildStatefulPod, ordinalOf } from './stateful-pod.ts'

const set = {
  metadata: storedMeta({ name: 'db', namespace: 'default', uid: 'u1' }),
  spec: { serviceName: 'db', volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
}

test('a pod has its own name, host name and claims', () => {
  const template = templateOf(
    { app: 'db' },
    {
      spec: {
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'tmp', emptyDir: {} },
        ],
      },
    },
  )
  expect(buildStatefulPod(set, 2, { name: 'db-abc', template })).toMatchObject({
    metadata: {
      name: 'db-2',
      labels: {
        app: 'db',
        'statefulset.kubernetes.io/pod-name': 'db-2',
        'apps.kubernetes.io/pod-index': '2',
        'controller-revision-hash': 'db-abc',
      },
    },
    spec: {
      hostname: 'db-2',
      subdomain: 'db',
      volumes: [{ name: 'tmp' }, { name: 'data', persistentVolumeClaim: { claimName: 'data-db-2' } }],
    },
  })
})

test.each([
  { name: 'db-0', expected: 0 },
  { name: 'db-12', expected: 12 },
  { name: 'db-01', expected: undefined },
  { name: 'db-x', expected: undefined },
  { name: 'other-0', expected: undefined },
])('the ordinal of $name is $expected', ({ name, expected }) => {
  expect(ordinalOf(set, { metadata: storedMeta({ name }) })).toBe(expected)
})
