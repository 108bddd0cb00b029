import { expect, test } from 'vitest'
import { podDisruptionBudgetMergeKeys, podMergeKeys, workloadMergeKeys } from './merge-keys.ts'
import { strategicMergePatch } from './strategic-merge-patch.ts'

const pod = {
  metadata: {
    name: 'p',
    labels: { a: '1' },
    finalizers: ['f/one', 'f/two'],
    ownerReferences: [{ uid: 'u', name: 'o' }],
  },
  spec: {
    containers: [
      { name: 'main', image: 'one', env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] },
      { name: 'side', image: 'two' },
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
    tolerations: [{ key: 'x' }],
  },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
}

test.each<[string, object, (result: typeof pod) => unknown, unknown]>([
  [
    'merges containers by name',
    { spec: { containers: [{ name: 'side', image: 'new' }] } },
    ({ spec }) => spec.containers.map(({ name, image }) => `${name}=${image}`),
    ['main=one', 'side=new'],
  ],
  [
    'merges the environment within',
    { spec: { containers: [{ name: 'main', env: [{ name: 'B', value: '2' }] }] } },
    ({ spec }) => spec.containers[0]?.env,
    [
      { name: 'B', value: '2' },
      { name: 'A', value: '1' },
    ],
  ],
  ['replaces tolerations', { spec: { tolerations: [] } }, ({ spec }) => spec.tolerations, []],
  [
    'merges conditions by type',
    { status: { conditions: [{ type: 'DisruptionTarget', status: 'True' }] } },
    ({ status }) => status.conditions.length,
    2,
  ],
  [
    'adds a finalizer',
    { metadata: { finalizers: ['f/three'] } },
    ({ metadata }) => metadata.finalizers,
    ['f/three', 'f/one', 'f/two'],
  ],
  [
    'deletes a finalizer',
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['f/one'] } },
    ({ metadata }) => metadata.finalizers,
    ['f/two'],
  ],
  [
    'deletes an owner',
    { metadata: { ownerReferences: [{ uid: 'u', $patch: 'delete' }] } },
    ({ metadata }) => metadata.ownerReferences,
    [],
  ],
  ['takes a label away', { metadata: { labels: { a: null, b: '2' } } }, ({ metadata }) => metadata.labels, { b: '2' }],
  [
    'replaces a map',
    { metadata: { labels: { c: '3', $patch: 'replace' } } },
    ({ metadata }) => metadata.labels,
    { c: '3' },
  ],
  ['empties a map', { metadata: { labels: { $patch: 'delete' } } }, ({ metadata }) => metadata.labels, {}],
  [
    'keeps the fields that it retains',
    { spec: { volumes: [{ name: 'data', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }] } },
    ({ spec }) => spec.volumes,
    [{ name: 'data', hostPath: { path: '/' } }],
  ],
  [
    'orders elements',
    { spec: { '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] } },
    ({ spec }) => spec.containers.map(({ name }) => name),
    ['side', 'main'],
  ],
  [
    'orders and changes elements',
    {
      spec: {
        '$setElementOrder/containers': [{ name: 'new' }, { name: 'main' }],
        containers: [{ name: 'new', image: 'i' }],
      },
    },
    ({ spec }) => spec.containers.map(({ name }) => name),
    ['new', 'main', 'side'],
  ],
])('%s', (_name, patch, read, expected) => {
  const before = structuredClone(pod)
  expect(read(strategicMergePatch(pod, patch as never, podMergeKeys) as typeof pod)).toEqual(expected)
  expect(pod).toEqual(before)
})

test('lists below a template merge as those of a pod', () => {
  const deployment = { spec: { template: pod } }
  const patch = { spec: { template: { spec: { containers: [{ name: 'side', image: 'new' }] } } } }
  const patched = strategicMergePatch(deployment, patch, workloadMergeKeys) as typeof deployment
  expect(patched.spec.template.spec.containers).toHaveLength(2)
})

test('the selector of a budget is replaced', () => {
  const budget = { spec: { selector: { matchLabels: { a: '1' } } } }
  const patch = { spec: { selector: { matchLabels: { b: '2' } } } }
  expect(strategicMergePatch(budget, patch, podDisruptionBudgetMergeKeys)).toEqual(patch)
})

test.each([
  [{ spec: { $patch: 'explode' } }, 500, 'unknown patch type: explode'],
  [{ spec: { $retainKeys: 'name' } }, 400, 'invalid patch format of retainKeys'],
  [{ spec: { $retainKeys: ['a'], b: 1 } }, 400, 'invalid patch format of retainKeys'],
  [{ spec: { $setElementOrder: [] } }, 400, 'invalid patch format of setElementOrder list'],
  [{ spec: { '$setElementOrder/containers': 'x' } }, 500, 'expected a []interface {}'],
  [{ metadata: { $deleteFromPrimitiveList: [] } }, 400, 'invalid patch format of primitive list'],
  [
    { spec: { '$setElementOrder/containers': [{ name: 'side' }], containers: [{ name: 'main' }] } },
    500,
    'The order in patch list',
  ],
])('%j is refused with %d', (patch, code, message) => {
  const failing = () => strategicMergePatch(pod, patch, podMergeKeys)
  expect(failing).toThrow(message)
  expect(failing).toThrow(expect.objectContaining({ code }) as Error)
})
