import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildMirrorPod, isMirror, mirroredHash, parseStaticPods, seenOf, staticPodsAnnotation } from './static-pods.ts'

const proxy = { metadata: { name: 'proxy', labels: { app: 'proxy' } }, spec: { containers: [{ name: 'main' }] } }
const node = (text?: string) => ({
  metadata: storedMeta({
    name: 'Node-1',
    uid: 'u1',
    ...(text === undefined ? {} : { annotations: { [staticPodsAnnotation]: text } }),
  }),
})
const podOn = (manifest: object) => {
  const parsed = parseStaticPods(node(JSON.stringify([manifest])))
  if (parsed.kind !== 'parsed' || parsed.pods[0] === undefined) throw new Error('the manifest is good')
  return parsed.pods[0]
}

test.each([
  { name: 'no annotation', text: undefined, kind: 'parsed' },
  { name: 'an empty list', text: '[]', kind: 'parsed' },
  { name: 'a pod', text: JSON.stringify([proxy]), kind: 'parsed' },
  { name: 'what is no JSON', text: '[{', kind: 'invalid' },
  { name: 'what is no list', text: '{}', kind: 'invalid' },
  { name: 'nothing in the list', text: '[null]', kind: 'invalid' },
  { name: 'a pod without a name', text: '[{"spec":{"containers":[]}}]', kind: 'invalid' },
  { name: 'a pod without containers', text: '[{"metadata":{"name":"a"}}]', kind: 'invalid' },
])('$name is $kind', ({ text, kind }) => {
  expect(parseStaticPods(node(text)).kind).toBe(kind)
})

test('a mirror has the name of its node, its marks, and its node as controller', () => {
  const pod = podOn(proxy)
  const mirror = buildMirrorPod(pod, node(), '2026-01-01T00:00:00Z')
  expect(mirror.metadata).toEqual({
    namespace: 'default',
    name: 'proxy-node-1',
    labels: { app: 'proxy' },
    annotations: {
      'kubernetes.io/config.hash': pod.hash,
      'kubernetes.io/config.mirror': pod.hash,
      'kubernetes.io/config.seen': '2026-01-01T00:00:00Z',
      'kubernetes.io/config.source': 'file',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'Node-1', uid: 'u1', controller: true }],
  })
  expect(mirror['spec']).toMatchObject({
    nodeName: 'Node-1',
    tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
  })
  expect([isMirror(mirror), mirroredHash(mirror), seenOf(mirror)]).toEqual([true, pod.hash, '2026-01-01T00:00:00Z'])
  expect(isMirror(node())).toBe(false)
})

test('the hash follows the content, and a toleration is not added twice', () => {
  const tolerations = [{ operator: 'Exists', effect: 'NoExecute' }]
  const tolerant = podOn({ ...proxy, spec: { ...proxy.spec, tolerations } })
  expect(tolerant.hash).not.toBe(podOn(proxy).hash)
  expect(podOn({ spec: proxy.spec, metadata: proxy.metadata }).hash).toBe(podOn(proxy).hash)
  expect(buildMirrorPod(tolerant, node(), '')['spec']).toMatchObject({ tolerations: [tolerations[0]] })
})
