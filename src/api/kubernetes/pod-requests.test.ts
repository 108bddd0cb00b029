import { expect, test } from 'vitest'
import { requestsOf } from './pod-requests.ts'

const container = (cpu: string, restartPolicy?: string) => ({
  name: 'x',
  resources: { requests: { cpu } },
  ...(restartPolicy === undefined ? {} : { restartPolicy }),
})

test.each([
  { name: 'containers add up', containers: ['1', '500m'], init: [], expected: 1_500 },
  { name: 'a large init container counts instead', containers: ['1'], init: [container('3')], expected: 3_000 },
  { name: 'a small one does not', containers: ['1'], init: [container('500m')], expected: 1_000 },
  {
    name: 'a sidecar counts with the containers',
    containers: ['1'],
    init: [container('1', 'Always')],
    expected: 2_000,
  },
  {
    name: 'and with the init containers after it',
    containers: ['1'],
    init: [container('1', 'Always'), container('3')],
    expected: 4_000,
  },
])('$name', ({ containers, init, expected }) => {
  const spec = { containers: containers.map((cpu) => container(cpu)), initContainers: init }
  expect(requestsOf({ spec }).get('cpu')).toBe(expected)
})

test('overhead comes on top', () => {
  const spec = { containers: [container('1')], overhead: { cpu: '250m' } }
  expect(requestsOf({ spec }).get('cpu')).toBe(1_250)
})

test('what the pod requests as a whole replaces what its containers do', () => {
  const spec = {
    containers: [{ resources: { requests: { cpu: '1', memory: '1Ki', 'example.com/gpu': '1' } } }],
    resources: { requests: { cpu: '500m', 'example.com/gpu': '7' } },
    overhead: { cpu: '250m' },
  }
  expect(Object.fromEntries(requestsOf({ spec }))).toEqual({
    cpu: 750,
    memory: 1_024_000,
    'example.com/gpu': 1_000,
  })
})
