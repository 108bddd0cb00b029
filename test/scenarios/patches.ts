import type { Scenario } from './scenario.ts'

// Three kinds of patches on built-in kinds, and what is refused of them.

const contentTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

interface PatchCase {
  readonly name: string
  readonly type: keyof typeof contentTypes | 'other'
  readonly contentType?: string
  readonly on: 'configMap' | 'deployment' | 'pod' | 'node'
  readonly patch: unknown
  readonly subresource?: string
}

const container = (name: string, image: string, extra: object = {}) => ({ name, image, ...extra })
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      container('main', 'web:1', {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 81 }],
      }),
      container('side', 'side:1'),
    ],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  },
}

const objects = {
  configMap: {
    path: '/api/v1/namespaces/NS/configmaps',
    name: 'it',
    object: {
      metadata: { name: 'it', namespace: 'NS', labels: { a: '1', b: '2' }, finalizers: [] },
      data: { x: '1', y: '2' },
    },
  },
  deployment: {
    path: '/apis/apps/v1/namespaces/NS/deployments',
    name: 'it',
    object: {
      metadata: { name: 'it', namespace: 'NS' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
    },
  },
  pod: {
    path: '/api/v1/namespaces/NS/pods',
    name: 'it',
    object: {
      metadata: { name: 'it', namespace: 'NS', labels: { app: 'web' } },
      spec: { nodeName: 'one', containers: [container('main', 'web:1')] },
    },
  },
  node: {
    path: '/api/v1/nodes',
    name: 'NS',
    object: {
      metadata: { name: 'NS', labels: { zone: 'a' } },
      spec: { taints: [{ key: 'a', value: '1', effect: 'NoSchedule' }] },
    },
  },
}

const cases: readonly PatchCase[] = [
  {
    name: 'JSON: add a label',
    type: 'json',
    on: 'configMap',
    patch: [{ op: 'add', path: '/metadata/labels/c', value: '3' }],
  },
  {
    name: 'JSON: replace and remove',
    type: 'json',
    on: 'configMap',
    patch: [
      { op: 'replace', path: '/data/x', value: '9' },
      { op: 'remove', path: '/data/y' },
    ],
  },
  {
    name: 'JSON: a key with slashes and tildes',
    type: 'json',
    on: 'configMap',
    patch: [{ op: 'add', path: '/metadata/labels/example.com~1a', value: 'b' }],
  },
  {
    name: 'JSON: move and copy',
    type: 'json',
    on: 'configMap',
    patch: [
      { op: 'move', from: '/data/x', path: '/data/z' },
      { op: 'copy', from: '/data/z', path: '/data/w' },
    ],
  },
  {
    name: 'JSON: a test that holds',
    type: 'json',
    on: 'configMap',
    patch: [
      { op: 'test', path: '/data/x', value: '1' },
      { op: 'replace', path: '/data/x', value: '2' },
    ],
  },
  {
    name: 'JSON: a test that does not hold',
    type: 'json',
    on: 'configMap',
    patch: [
      { op: 'test', path: '/data/x', value: '2' },
      { op: 'replace', path: '/data/x', value: '3' },
    ],
  },
  {
    name: 'JSON: insert into a list',
    type: 'json',
    on: 'deployment',
    patch: [{ op: 'add', path: '/spec/template/spec/containers/0', value: { name: 'first', image: 'first:1' } }],
  },
  {
    name: 'JSON: append to a list',
    type: 'json',
    on: 'deployment',
    patch: [{ op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'last', image: 'last:1' } }],
  },
  {
    name: 'JSON: remove what is not there',
    type: 'json',
    on: 'configMap',
    patch: [{ op: 'remove', path: '/data/none' }],
  },
  {
    name: 'JSON: an operation that does not exist',
    type: 'json',
    on: 'configMap',
    patch: [{ op: 'frobnicate', path: '/data/x' }],
  },
  { name: 'JSON: not a list', type: 'json', on: 'configMap', patch: { op: 'add' } },
  {
    name: 'merge: set, change and take away',
    type: 'merge',
    on: 'configMap',
    patch: { data: { x: '9', y: null, z: '3' } },
  },
  { name: 'merge: all labels at once', type: 'merge', on: 'configMap', patch: { metadata: { labels: null } } },
  {
    name: 'merge: a list is replaced',
    type: 'merge',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ name: 'only', image: 'only:1' }] } } } },
  },
  { name: 'merge: nothing', type: 'merge', on: 'configMap', patch: {} },
  {
    name: 'merge: an old version',
    type: 'merge',
    on: 'configMap',
    patch: { metadata: { resourceVersion: '1' }, data: { x: '9' } },
  },
  {
    name: 'merge: another UID',
    type: 'merge',
    on: 'configMap',
    patch: { metadata: { uid: '00000000-0000-4000-8000-000000000000' } },
  },
  { name: 'merge: another name', type: 'merge', on: 'configMap', patch: { metadata: { name: 'other' } } },
  {
    name: 'merge: status through the main door stays as it was',
    type: 'merge',
    on: 'pod',
    patch: { status: { phase: 'Failed' }, metadata: { labels: { b: '2' } } },
  },
  {
    name: 'merge: spec through the door of the status stays as it was',
    type: 'merge',
    on: 'deployment',
    subresource: 'status',
    patch: { spec: { replicas: 9 }, status: { replicas: 4 } },
  },
  {
    name: 'merge: release of a pod: a label goes, others stay',
    type: 'merge',
    on: 'pod',
    patch: { metadata: { labels: { app: null, kept: 'yes' } } },
  },
  { name: 'merge: what may not change in a pod', type: 'merge', on: 'pod', patch: { spec: { nodeName: 'two' } } },
  {
    name: 'merge: the image of a pod may change',
    type: 'merge',
    on: 'pod',
    patch: { spec: { containers: [{ name: 'main', image: 'web:2' }] } },
  },
  { name: 'merge: a negative number of replicas', type: 'merge', on: 'deployment', patch: { spec: { replicas: -1 } } },
  {
    name: 'strategic: one container of two',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:2' }] } } } },
  },
  {
    name: 'strategic: a container more',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ name: 'third', image: 'third:1' }] } } } },
  },
  {
    name: 'strategic: a container less',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } },
  },
  {
    name: 'strategic: all containers replaced',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }] } } } },
  },
  {
    name: 'strategic: environment by name',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: '9' }] }] } } } },
  },
  {
    name: 'strategic: ports by number',
    type: 'strategic',
    on: 'deployment',
    patch: {
      spec: { template: { spec: { containers: [{ name: 'main', ports: [{ containerPort: 81, name: 'admin' }] }] } } },
    },
  },
  {
    name: 'strategic: tolerations are replaced',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { spec: { tolerations: [{ key: 'b', operator: 'Exists' }] } } } },
  },
  {
    name: 'strategic: a rolling update of nothing, as kubectl rollout restart',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } },
  },
  {
    name: 'strategic: retain keys of a strategy',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
  },
  { name: 'strategic: cordon a node', type: 'strategic', on: 'node', patch: { spec: { unschedulable: true } } },
  {
    name: 'strategic: taints are merged by key',
    type: 'strategic',
    on: 'node',
    patch: { spec: { taints: [{ key: 'b', value: '2', effect: 'NoExecute' }] } },
  },
  {
    name: 'strategic: a condition by type',
    type: 'strategic',
    on: 'pod',
    subresource: 'status',
    patch: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  },
  {
    name: 'strategic: a directive that does not exist',
    type: 'strategic',
    on: 'deployment',
    patch: { spec: { $patch: 'frobnicate' } },
  },
  {
    name: 'a content type that nobody knows',
    type: 'other',
    contentType: 'application/x-patch',
    on: 'configMap',
    patch: {},
  },
]

function scenarioOf({ name, type, contentType, on, patch, subresource }: PatchCase): Scenario {
  const { path, name: objectName, object } = objects[on]
  return {
    name,
    run: async (world) => {
      await world.arrange('POST', path, object)
      const at = `${path}/${objectName}${subresource === undefined ? '' : `/${subresource}`}`
      await world.send('PATCH', at, patch, { contentType: contentType ?? (type === 'other' ? '' : contentTypes[type]) })
      const { body } = await world.send('GET', `${path}/${objectName}`)
      world.observe('the object', {
        metadata: body['metadata'],
        spec: body['spec'],
        data: body['data'],
        status: body['status'],
      })
    },
  }
}

export const patchScenarios: readonly Scenario[] = cases.map(scenarioOf)
