import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'

const path = '/api/v1/namespaces/shop/pods'
const pod = (spec: object = {}) => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
})
const binding = { target: { kind: 'Node', name: 'one' } }

test('binds a pod once, and says that it is scheduled', async () => {
  const { send, store } = buildServer()
  await send('POST', path, pod())
  expect(said(await send('POST', `${path}/a/binding`, binding))).toBe('201')
  expect(store.get('pods', 'shop/a')).toMatchObject({
    spec: { nodeName: 'one' },
    status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
  })
  expect(said(await send('POST', `${path}/a/binding`, binding))).toContain(
    '409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "one"',
  )
})

test.each([
  {
    name: 'a pod that is held by a gate',
    spec: { schedulingGates: [{ name: 'example.com/hold' }] },
    expected: 'has non-empty .spec.schedulingGates',
  },
])('does not bind $name', async ({ spec, expected }) => {
  const { send } = buildServer()
  await send('POST', path, pod(spec))
  expect(said(await send('POST', `${path}/a/binding`, binding))).toContain(expected)
})

test('does not bind what is not there', async () => {
  const { send } = buildServer()
  expect(said(await send('POST', `${path}/a/binding`, binding))).toBe('404 NotFound: pods "a" not found')
})
