import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'
import type { Admission } from '../admission/admission.ts'
import { forbidden } from '../failure.ts'

const path = '/api/v1/namespaces/shop/pods/a/eviction'
const eviction = (deleteOptions?: object, name = 'a') => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: 'shop' },
  ...(deleteOptions === undefined ? {} : { deleteOptions }),
})

function setUp(options: { disruptionsAllowed?: number } & Parameters<typeof buildServer>[0] = {}) {
  const built = buildServer(options)
  built.store.put('pods', 'shop/a', {
    metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', labels: { app: 'web' } },
    spec: { nodeName: 'one', containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  })
  if (options.disruptionsAllowed !== undefined) {
    built.store.put('poddisruptionbudgets.policy', 'shop/web', {
      metadata: storedMeta({ name: 'web', namespace: 'shop', generation: 1 }),
      spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 },
      status: {
        observedGeneration: 1,
        disruptionsAllowed: options.disruptionsAllowed,
        currentHealthy: 1,
        desiredHealthy: 1,
      },
    })
  }
  const read = () => ({
    pod: built.store.get('pods', 'shop/a'),
    budget: built.store.get('poddisruptionbudgets.policy', 'shop/web'),
  })
  return { ...built, read }
}

describe('evicting', () => {
  test('takes from the budget, marks the pod and deletes it gracefully', async () => {
    const { send, read } = setUp({ disruptionsAllowed: 1 })
    expect(said(await send('POST', path, eviction()))).toBe('201')
    const { pod, budget } = read()
    expect(budget).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        disruptedPods: { a: '2026-01-01T00:00:00Z' },
        conditions: [{ status: 'False', reason: 'InsufficientPods' }],
      },
    })
    expect(pod).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }] },
    })
  })

  test('what a budget refuses changes nothing', async () => {
    const { send, store } = setUp({ disruptionsAllowed: 0 })
    const before = store.revision
    expect(said(await send('POST', path, eviction()))).toBe(
      "429 TooManyRequests: Cannot evict pod as it would violate the pod's disruption budget.",
    )
    expect(store.revision).toBe(before)
  })

  test.each([
    { name: 'in the query', body: eviction(), query: { dryRun: 'All' } },
    { name: 'in the body', body: eviction({ dryRun: ['All'] }), query: {} },
    { name: 'in both', body: eviction({ dryRun: ['All'] }), query: { dryRun: 'All' } },
  ])('as a dry run $name writes nothing', async ({ body, query }) => {
    const { send, store } = setUp({ disruptionsAllowed: 1 })
    const before = store.revision
    expect(said(await send('POST', path, body, { query }))).toBe('201')
    expect(store.revision).toBe(before)
  })

  test.each([
    {
      name: 'another name in the body',
      body: eviction(undefined, 'b'),
      expected: '400 BadRequest: name in URL does not match name in Eviction object',
    },
    {
      name: 'another UID',
      body: eviction({ preconditions: { uid: 'other' } }),
      expected:
        '409 Conflict: Operation cannot be fulfilled on Pod "a": the UID in the precondition (other) does not match the UID in record (uid-a). The object might have been deleted and then recreated',
    },
    {
      name: 'different dry runs',
      body: eviction({ dryRun: ['Some'] }),
      query: { dryRun: 'All' },
      expected: '500 : Non-matching dry-run options in request and content: [All] and [Some]',
    },
  ])('with $name is refused', async ({ body, query, expected }) => {
    const { send, read } = setUp()
    expect(said(await send('POST', path, body, { query: query ?? {} }))).toBe(expected)
    expect(read().pod?.metadata.deletionTimestamp).toBeUndefined()
  })

  test('a pod that is not there is not found', async () => {
    const { send } = buildServer()
    expect(said(await send('POST', path, eviction()))).toBe('404 NotFound: pods "a" not found')
  })

  test('with its own version as a precondition goes through', async () => {
    const { send, read } = setUp()
    const resourceVersion = read().pod?.metadata.resourceVersion
    expect(said(await send('POST', path, eviction({ preconditions: { resourceVersion } })))).toBe('201')
  })

  test('admission is asked before any budget is', async () => {
    const admission = {
      mutate: async () => undefined,
      validate: async ({ object, definition }: { object: unknown; definition: { group: string; plural: string } }) => {
        throw forbidden(definition, 'a', `held: ${JSON.stringify((object as { kind: string }).kind)}`)
      },
    }
    const { send, read } = setUp({ disruptionsAllowed: 1, admission })
    expect(said(await send('POST', path, eviction()))).toContain('held: "Eviction"')
    expect(read().budget).toMatchObject({ status: { disruptionsAllowed: 1 } })
  })

  test('what admission warned of is told with its refusal, and nobody asks it about the deletion', async () => {
    const asked: string[] = []
    const admission: Admission = {
      mutate: async ({ operation }) => void asked.push(operation),
      validate: async ({ definition }, warnings) => {
        warnings.push('use a NodeMaintenance')
        if (asked.length > 1) throw forbidden(definition, 'a', 'twice')
      },
    }
    const { send } = setUp({ admission })
    expect((await send('POST', path, eviction())).status).toBe(201)
    expect(asked).toEqual(['CREATE'])
    const refused = await send('POST', path, eviction())
    expect(refused).toMatchObject({ status: 403, headers: { warning: ['299 - "use a NodeMaintenance"'] } })
  })
})
