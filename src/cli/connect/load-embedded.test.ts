import { expect, test } from 'vitest'
import { explainFailure } from '../output/errors.ts'
import { loadEmbedded } from './load-embedded.ts'

test('the embedded cluster is loaded from the sources', async () => {
  const { openEmbeddedCluster, serveCluster } = await loadEmbedded()
  expect([openEmbeddedCluster, serveCluster]).toEqual([expect.any(Function), expect.any(Function)])
})

test('where it is missing, the error names the file and says what to do', async () => {
  const missing = './lifeboat-cluster.mjs'
  const failure: unknown = await loadEmbedded(() => import(missing)).catch((error: unknown) => error)
  const { message, advice } = explainFailure(failure)
  expect(message).toMatch(/^the embedded cluster, .* is not here: Cannot find module '.*lifeboat-cluster\.mjs'/)
  expect(advice).toContain('put lifeboat-cluster.mjs of `make build` beside lifeboat.mjs')
})

test('another failure stays what it is', async () => {
  const broken = () => Promise.reject(new TypeError('broken'))
  await expect(loadEmbedded(broken)).rejects.toThrow(TypeError)
})
