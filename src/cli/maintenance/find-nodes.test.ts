import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { findNodes, namesOfNodes, parseNodeChoice } from './find-nodes.ts'

const { signal } = new AbortController()

function apiWith(...names: readonly string[]) {
  const api = new FakeApi()
  for (const name of names) api.put(`/api/v1/nodes/${name}`, { metadata: { name } })
  return { api, kube: buildKube(api, new VirtualClock()) }
}

describe('nodes are chosen', () => {
  test('by their names, each once', () => {
    expect(parseNodeChoice(['a', 'b', 'a'], undefined)).toMatchObject({ kind: 'names', names: ['a', 'b'] })
  })

  test('or by labels', () => {
    expect(parseNodeChoice([], 'zone=a')).toMatchObject({ kind: 'labels', text: 'zone=a' })
  })

  test.each([
    { name: 'by nothing', names: [], selector: undefined, message: 'which nodes?' },
    { name: 'by both', names: ['a'], selector: 'zone=a', message: 'either names of nodes or -l, not both' },
    {
      name: 'by more names than a maintenance takes',
      names: Array.from({ length: 257 }, (_, index) => `n${index}`),
      selector: undefined,
      message: '257 names are more than one maintenance takes (256)',
    },
  ])('but not $name', ({ names, selector, message }) => {
    const choose = () => parseNodeChoice(names, selector, { isTogether: true })
    expect(choose).toThrow(message)
    expect(choose).toThrow(expect.objectContaining({ exitCode: 2, advice: expect.stringContaining('lifeboat drain') }))
  })
})

test('names that are there are found, one request each', async () => {
  const { api, kube } = apiWith('node-1', 'node-2', 'node-3')
  expect(await findNodes(kube, parseNodeChoice(['node-2', 'node-1'], undefined), signal)).toEqual(['node-2', 'node-1'])
  expect(api.requests).toHaveLength(2)
})

test('many names are one list, not a request for each', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `node-${index}`)
  const { api, kube } = apiWith(...names)
  expect(await findNodes(kube, parseNodeChoice(names, undefined), signal)).toEqual(names)
  expect(api.requests.length).toBeLessThanOrEqual(2)
})

test.each([
  { names: ['nod-1'], message: 'no node is called nod-1', advice: 'Close to it: node-1, node-2. Nothing was changed.' },
  {
    names: ['node-1', 'x', 'y'],
    message: 'no nodes are called x, y',
    advice: 'Nothing was changed. `kubectl get nodes` lists them.',
  },
])('$names are not all there', async ({ names, message, advice }) => {
  const { kube } = apiWith('node-1', 'node-2')
  await expect(findNodes(kube, parseNodeChoice(names, undefined), signal)).rejects.toThrow(
    expect.objectContaining({ message, advice }),
  )
})

test('labels are for the server to match; none is an error', async () => {
  const { api, kube } = apiWith('node-10', 'node-9')
  expect(await findNodes(kube, parseNodeChoice([], 'zone=a'), signal)).toEqual(['node-9', 'node-10'])
  expect(api.requests[0]?.query).toMatchObject({ labelSelector: 'zone=a' })
  await expect(findNodes(apiWith().kube, parseNodeChoice([], 'zone=a'), signal)).rejects.toThrow(
    'no node matches -l "zone=a"',
  )
})

test('who may not list nodes gets no suggestions, and the same error', async () => {
  const { api, kube } = apiWith('node-1')
  api.fault = ({ path }) => (path === '/api/v1/nodes' ? failure(403, 'Forbidden', 'no') : undefined)
  expect(await namesOfNodes(kube, signal)).toEqual([])
  await expect(findNodes(kube, parseNodeChoice(['nod-1'], undefined), signal)).rejects.toThrow(
    'no node is called nod-1',
  )
})
