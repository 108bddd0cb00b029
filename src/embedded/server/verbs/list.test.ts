import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'

const path = '/api/v1/namespaces/shop/configmaps'

async function filled(count: number) {
  const built = buildServer()
  for (let at = 0; at < count; at++) {
    await built.send('POST', path, { metadata: { name: `m${at}`, labels: { parity: at % 2 === 0 ? 'even' : 'odd' } } })
  }
  return built
}

interface List {
  readonly kind: string
  readonly metadata: {
    readonly continue?: string
    readonly remainingItemCount?: number
    readonly resourceVersion: string
  }
  readonly items: readonly { readonly metadata: { readonly name: string } }[]
}

test('all of a kind, and what a selector matches of it', async () => {
  const { send } = await filled(4)
  expect((await send('GET', '/api/v1/configmaps')).body).toMatchObject({ kind: 'ConfigMapList', items: { length: 4 } })
  expect(
    (await send('GET', path, undefined, { query: { labelSelector: 'parity=odd', fieldSelector: 'metadata.name!=m1' } }))
      .body,
  ).toMatchObject({
    items: [{ metadata: { name: 'm3' } }],
  })
})

test('pages show one version, whatever happens in between', async () => {
  const { send } = await filled(5)
  const first = (await send('GET', path, undefined, { query: { limit: '2' } })).body as List
  expect(first.metadata.remainingItemCount).toBe(3)
  await send('DELETE', `${path}/m4`)
  await send('POST', path, { metadata: { name: 'm9' } })
  const second = (
    await send('GET', path, undefined, { query: { limit: '2', continue: first.metadata.continue ?? '' } })
  ).body as List
  const third = (
    await send('GET', path, undefined, { query: { limit: '2', continue: second.metadata.continue ?? '' } })
  ).body as List
  expect([first, second, third].flatMap(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
    'm0',
    'm1',
    'm2',
    'm3',
    'm4',
  ])
  expect(third.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion })
})

test('a list whose version is compacted must begin anew', async () => {
  const { send, server } = await filled(3)
  const { metadata } = (await send('GET', path, undefined, { query: { limit: '1' } })).body as List
  server.compact()
  expect(
    said(await send('GET', path, undefined, { query: { limit: '1', continue: metadata.continue ?? '' } })),
  ).toContain('410 Expired')
})

test.each([
  { query: { limit: '-1' }, expected: '400 BadRequest: limit' },
  { query: { continue: 'nonsense' }, expected: '400 BadRequest: invalid continue token: continue key is not valid' },
  { query: { fieldSelector: 'spec.x=1' }, expected: '400 BadRequest: "spec.x" is not a known field selector' },
])('refuses $query', async ({ query, expected }) => {
  const { send } = await filled(1)
  expect(said(await send('GET', path, undefined, { query }))).toContain(expected)
})
