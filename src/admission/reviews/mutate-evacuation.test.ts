import { finishedMark } from '../../api/evacuation/finished-mark.ts'
import { describe, expect, test } from 'vitest'
import { buildEvacuationOfWeb, buildReviewRequest, buildWeb, otherUid } from '../../../test/build/review-request.ts'
import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { mutateEvacuation, noIntentWarning } from './mutate-evacuation.ts'

const { signal } = new AbortController()
const annotation = (name: string) => `evacuation.coordination.k8s.io/priority_${name}`

async function mutating(object: unknown, pod: Pod | undefined = buildWeb(), claims: readonly Evacuator[] = []) {
  const asked: string[] = []
  const lookups = {
    pod: async ({ namespace, name }: { namespace: string; name: string }) => {
      asked.push(`${namespace}/${name}`)
      return pod
    },
  }
  const answer = await mutateEvacuation(
    buildReviewRequest({ object }),
    { lookups, claims: async () => claims, mayDeletePod: async () => true },
    signal,
  )
  return { answer, asked }
}

describe('the creation of an Evacuation', () => {
  test('changes nothing where there is nothing to change', async () => {
    const { answer, asked } = await mutating(buildEvacuationOfWeb())
    expect(answer).toEqual({ allowed: true, patch: [], warnings: [] })
    expect(asked).toEqual(['shop/web'])
  })

  test('puts in the evacuators and labels of the pod', async () => {
    const pod = buildWeb({
      labels: { app: 'web', tier: 'front', ...finishedMark },
      annotations: { [annotation('a')]: '5/x' },
    })
    const { answer } = await mutating(buildEvacuationOfWeb({ metadata: { labels: { app: 'mine', wave: '1' } } }), pod)
    expect(answer).toMatchObject({
      patch: [
        { op: 'add', path: '/metadata/labels', value: { app: 'web', tier: 'front', wave: '1' } },
        { op: 'add', path: '/spec/evacuators', value: [{ evacuatorClass: 'a', priority: 5, role: 'x' }] },
      ],
    })
  })

  test('puts in the node of the pod, beside what was noted', async () => {
    const pod = { ...buildWeb(), spec: { containers: [], nodeName: 'node-1' } }
    const { answer } = await mutating(buildEvacuationOfWeb({ metadata: { annotations: { mine: 'yes' } } }), pod)
    const value = { mine: 'yes', 'evacuation.coordination.k8s.io/node': 'node-1' }
    expect(answer).toMatchObject({ patch: [{ op: 'add', path: '/metadata/annotations', value }] })
  })

  test('puts in who else claims the pod', async () => {
    const claim = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
    const { answer } = await mutating(buildEvacuationOfWeb(), buildWeb(), [claim])
    expect(answer).toMatchObject({ patch: [{ path: '/spec/evacuators', value: [claim] }] })
  })

  test.each([
    { name: 'no finalizers', finalizers: undefined },
    { name: "somebody else's finalizer", finalizers: ['example.com/mine'] },
    { name: 'only the hold of an evacuator', finalizers: ['evacuation.coordination.k8s.io/instigator_a'] },
  ])('warns of $name', async ({ finalizers }) => {
    const pod = buildWeb({ annotations: { [annotation('a')]: '5' } })
    const { answer } = await mutating(buildEvacuationOfWeb({ metadata: { finalizers } }), pod)
    expect(answer).toMatchObject({ allowed: true, warnings: [noIntentWarning] })
  })

  test('a pod that is not there is named', async () => {
    const lookups = { pod: async () => undefined }
    const request = buildReviewRequest({ object: buildEvacuationOfWeb() })
    expect(
      await mutateEvacuation(request, { lookups, claims: async () => [], mayDeletePod: async () => true }, signal),
    ).toEqual({
      allowed: false,
      code: 422,
      reason: 'Invalid',
      message:
        'spec.podRef.name is "web": must be a pod in the namespace of the Evacuation, and there is no such pod in shop',
    })
  })

  test('both UIDs are named where they differ', async () => {
    const { answer } = await mutating(buildEvacuationOfWeb(), buildWeb({ uid: otherUid }))
    expect(answer).toMatchObject({
      code: 422,
      message: `spec.podRef.uid is "f5823a89-e03f-4752-b013-445643b8c7a0": must be the UID of the pod, and the pod web has ${otherUid}`,
    })
  })

  test.each([
    { name: 'nothing', object: undefined },
    { name: 'a text', object: 'Evacuation' },
    { name: 'no spec', object: { metadata: { name: 'web' } } },
    { name: 'no podRef', object: buildEvacuationOfWeb({ spec: { podRef: undefined } }) },
    { name: 'a podRef that is none', object: buildEvacuationOfWeb({ spec: { podRef: [7] } }) },
    { name: 'a path for a name', object: buildEvacuationOfWeb({ spec: { podRef: { name: '../x', uid: otherUid } } }) },
    { name: 'another name', object: buildEvacuationOfWeb({ metadata: { name: 'web' } }) },
    { name: 'generateName', object: buildEvacuationOfWeb({ metadata: { generateName: 'web-' } }) },
    { name: 'evacuators that are none', object: buildEvacuationOfWeb({ spec: { evacuators: [{}] } }) },
    {
      name: 'two controllers',
      object: buildEvacuationOfWeb({
        spec: {
          evacuators: ['a', 'b'].map((evacuatorClass) => ({ evacuatorClass, priority: 10_000, role: 'controller' })),
        },
      }),
    },
  ])('$name is left to the schema, and nobody is asked', async ({ object }) => {
    expect(await mutating(object)).toEqual({ answer: { allowed: true }, asked: [] })
  })

  test('a bad status is no way around it: the API server drops it', async () => {
    const pod = buildWeb({ annotations: { [annotation('a')]: '5' } })
    const object = buildEvacuationOfWeb({ status: { failedEvictionCounter: -1, activeEvacuatorClass: 'nobody' } })
    expect((await mutating(object, pod)).answer).toMatchObject({ patch: [{ path: '/spec/evacuators' }] })
  })
})
