import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { Unnamed } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import type { WriteOptions } from './call-options.ts'
import { KubeError, type KubeErrorKind } from './errors.ts'
import { rehearseCreation } from './rehearsal.ts'

const pod: Unnamed<Pod> = { metadata: { generateName: 'logs-', namespace: 'shop' }, spec: { containers: [] } }
const answering = (answer: Pod | Error) => {
  const asked: WriteOptions[] = []
  const create = async (_resource: unknown, _object: unknown, options: WriteOptions = {}) => {
    asked.push(options)
    if (answer instanceof Error) throw answer
    return answer as never
  }
  return { kube: { create }, asked }
}

test('it is a dry run, and what would be stored is the answer', async () => {
  const stored: Pod = { ...pod, metadata: { ...pod.metadata, name: 'logs-x', uid: 'u', resourceVersion: '' } }
  const { kube, asked } = answering(stored)
  expect(await rehearseCreation(kube, pods, pod)).toEqual({ kind: 'admitted', object: stored })
  expect(asked.map(({ dryRun }) => dryRun)).toEqual([true])
})

test.each<{ kind: KubeErrorKind; message: string; expected: string }>([
  {
    kind: 'forbidden',
    message: 'pods is forbidden: User "x" cannot create resource "pods" in API group "" in the namespace "shop"',
    expected: 'inconclusive',
  },
  { kind: 'forbidden', message: 'pods "logs-" is forbidden: exceeded quota: few, requested', expected: 'inconclusive' },
  { kind: 'badRequest', message: 'admission webhook "w" does not support dry run', expected: 'inconclusive' },
  { kind: 'forbidden', message: 'pods "logs-" is forbidden: violates PodSecurity "restricted"', expected: 'refused' },
  { kind: 'badRequest', message: 'admission webhook "w" denied the request: no', expected: 'refused' },
  { kind: 'invalid', message: 'Pod "logs-" is invalid: spec', expected: 'refused' },
  { kind: 'notFound', message: 'namespaces "shop" not found', expected: 'refused' },
  { kind: 'serverError', message: 'etcdserver: request timed out', expected: 'throws' },
  { kind: 'tooManyRequests', message: 'later', expected: 'throws' },
  { kind: 'unreachable', message: 'ECONNREFUSED', expected: 'throws' },
])('$kind, $message: $expected', async ({ kind, message, expected }) => {
  const { kube } = answering(new KubeError(message, { kind }))
  const rehearsed = rehearseCreation(kube, pods, pod)
  if (expected === 'throws') await expect(rehearsed).rejects.toThrow(message)
  else expect(await rehearsed).toEqual({ kind: expected, message })
})
