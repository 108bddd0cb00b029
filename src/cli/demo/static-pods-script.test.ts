import { expect, test } from 'vitest'
import { brokenPromises, renderFolder, renderStaticPodsFigures } from './static-pods-script.ts'

const needed = new Map([['etcd', 2]])
const well = { belowMs: new Map([['etcd', 0]]), moved: 8, changed: [] }

test.each([
  { name: 'all went well', figures: well, expected: [] },
  {
    name: 'etcd lost its majority',
    figures: { ...well, belowMs: new Map([['etcd', 1_200]]) },
    expected: ['too few of etcd for 1.2 s'],
  },
  { name: 'one stayed', figures: { ...well, moved: 7 }, expected: ['7 of 8 static pods left'] },
  {
    name: 'one is not back',
    figures: { ...well, changed: ['etcd-node-1'] },
    expected: ['etcd-node-1 is not as it was'],
  },
])('$name', ({ figures, expected }) => {
  expect(brokenPromises(figures, 8)).toEqual(expected)
})

test.each([
  { changed: [], expected: '8 static pods left and came back; all run by the manifests that they had.' },
  { changed: ['a'], expected: '8 static pods left and came back; 1 do not run by the manifests that they had.' },
])('figures: $expected', ({ changed, expected }) => {
  const lines = renderStaticPodsFigures(needed, { ...well, belowMs: new Map([['etcd', 40]]), changed })
  expect(lines).toEqual(['COMPONENT   NEEDED   TIME WITH FEWER', 'etcd        2        0.1 s', '', expected])
})

test('a folder as an administrator sees it', () => {
  expect(renderFolder('node-1', '/m', ['.lifeboat-parked.a.yaml', 'b.yaml'])).toEqual([
    'node-1$ ls -A /m',
    '  .lifeboat-parked.a.yaml',
    '  b.yaml',
  ])
})
