import { expect, test } from 'vitest'
import { commandWorld } from '../../test/build/served-cluster.ts'
import { FakeApi, failure } from '../../test/build/fake-api.ts'
import { featureGateDefaults } from '../api/feature-gates.ts'
import { silentLog } from '../runtime/log.ts'
import { runManager, signalOf } from './lifeboat-process.ts'

test('who does not get ready in time says what lacks', async () => {
  const api = new FakeApi()
  api.fault = ({ path }) => (path.endsWith('/evacuations') ? failure(403, 'Forbidden', 'not for you') : undefined)
  const world = commandWorld()
  const running = runManager(
    world,
    {
      featureGates: { ...featureGateDefaults, EvacuationAPI: true },
      controllerEvictTimeout: 0,
      webhookPort: 0,
      listen: undefined,
      logLevel: 'error',
    },
    {
      transport: api,
      urgentTransport: api,
      registrar: { transport: api, rights: 'updateOnly' },
      webhooks: {
        open: async () => ({
          client: () => ({ url: 'https://here', caBundle: '' }),
          keepFresh: async () => {},
          [Symbol.asyncDispose]: async () => {},
        }),
      },
      namespace: 'lifeboat-system',
      log: silentLog,
      about: 'nowhere',
      readyWithinMs: 500,
      readyWhen: 'reached',
    },
    signalOf(world),
  )
  await expect(running).rejects.toThrow(
    /^not ready: the cache of evacuations: not there yet; .*the API server reaching the webhook: not for you$/,
  )
  expect(world.lines).toEqual([])
})

test('a signal aborts when the world is interrupted', async () => {
  const world = commandWorld()
  const signal = signalOf(world)
  expect(signal.aborted).toBe(false)
  world.interrupt()
  await Promise.resolve()
  await Promise.resolve()
  expect(signal.aborted).toBe(true)
})
