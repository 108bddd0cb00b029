import { expect, test } from 'vitest'
import { mirrorOfManifest } from './manifest.ts'

const yaml = (metadata: string) => `apiVersion: v1\nkind: Pod\nmetadata: ${metadata}\nspec: {containers: []}\n`

test.each([
  { name: 'a pod of no namespace', text: yaml('{name: proxy}'), expected: 'default/proxy-node-1' },
  {
    name: 'a pod of a namespace',
    text: yaml('{name: etcd, namespace: kube-system}'),
    expected: 'kube-system/etcd-node-1',
  },
  { name: 'JSON', text: '{"kind":"Pod","metadata":{"name":"a","namespace":""}}', expected: 'default/a-node-1' },
  { name: 'another kind', text: 'kind: ConfigMap\nmetadata: {name: a}', expected: undefined },
  { name: 'a pod without a name', text: yaml('{}'), expected: undefined },
  { name: 'a name that is no text', text: yaml('{name: 7}'), expected: undefined },
  { name: 'no metadata', text: 'kind: Pod', expected: undefined },
  { name: 'a list', text: '[1]', expected: undefined },
  { name: 'nothing', text: '', expected: undefined },
  { name: 'what is no YAML', text: 'kind: "Pod', expected: undefined },
  { name: 'two documents', text: 'kind: Pod\n---\nkind: Pod\n', expected: undefined },
])('$name', ({ text, expected }) => {
  expect(mirrorOfManifest(text, 'Node-1')).toBe(expected)
})
