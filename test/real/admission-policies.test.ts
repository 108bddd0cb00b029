import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { validateEvacuatorAnnotations } from '../../src/api/evacuation/evacuator-annotations.ts'
import { evacuatorAnnotationSets } from '../build/evacuator-annotation-sets.ts'
import { connectTransport } from '../cluster/connect.ts'
import { openReal, plurals, podOf, policies } from '../stories/admission-grounds.ts'
import { ownCluster } from './own-cluster.ts'

test('the policy in the API server refuses what validateEvacuatorAnnotations refuses, and nothing else', async () => {
  await using ground = await openReal()
  const path = '/api/v1/namespaces/warming-up/pods'
  let accepted = 0
  for (const annotations of fc.sample(evacuatorAnnotationSets, { numRuns: 150, seed: 5 })) {
    const request = { method: 'POST', path, body: podOf(annotations), query: { dryRun: 'All' } } as const
    const { status, body } = await ground.as(undefined).request(request)
    const problems = validateEvacuatorAnnotations(annotations)
    const { message } = body as { message?: string }
    expect({ annotations, status, message }).toMatchObject({ annotations, status: problems.length === 0 ? 201 : 422 })
    if (problems.length > 0) expect(message).toContain('denied request: metadata.annotations')
    else accepted++
  }
  // Both happen often enough for this to mean something.
  expect(accepted).toBeGreaterThan(40)
  expect(accepted).toBeLessThan(110)
})

/** The controllers of a whole cluster check what the API server takes: they know the types of a pod's fields. */
test('the policies have no type errors', async () => {
  const transport = await connectTransport(ownCluster())
  for (const policy of policies.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')) {
    const path = `/${plurals['ValidatingAdmissionPolicy']}`
    const unbound = { ...policy, metadata: { name: `unbound-${policy.metadata.name}` } }
    expect(await transport.request({ method: 'POST', path, body: unbound })).toMatchObject({ status: 201 })
    const own = { path: `${path}/${unbound.metadata.name}` }
    const status = await vi.waitFor(
      async () => {
        const { body } = await transport.request({ method: 'GET', ...own })
        const { status: found } = body as { status?: { observedGeneration?: number; typeChecking?: object } }
        expect(found?.observedGeneration).toBe(1)
        return found
      },
      { timeout: 30_000, interval: 100 },
    )
    expect(status?.typeChecking).toEqual({})
    await transport.request({ method: 'DELETE', ...own })
  }
  await transport.close()
})
