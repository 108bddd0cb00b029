import { expect, test } from 'vitest'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildSecretPath } from '../../admission/serving/path-secret.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { silentLog } from '../../runtime/log.ts'
import { openLog, runManager, signalOf } from './lifeboat-process.ts'

test('who does not get ready in time says what lacks', async () => {
  const api = new FakeApi()
  api.fault = ({ path }) => (path.endsWith('/evacuations') ? failure(403, 'Forbidden', 'not for you') : undefined)
  const world = commandWorld()
  const running = runManager(
    world,
    {
      featureGates: { ...featureGateDefaults, EvacuationAPI: true },
      controllerEvictTimeout: 0,
      shutdownPodPriorities: [],
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

test('no line of the log has a path secret in it, wherever it came from', () => {
  const secret = 'a1b2c3d4'.repeat(8)
  const url = `https://lifeboat-webhook.lifeboat-system.svc:8443${buildSecretPath(secret, '/evacuations/mutate')}`
  const lines: string[] = []
  const log = openLog({ logLevel: 'info', verbose: true }, { write: (line) => void lines.push(line) })
  const error = new Error(`failed calling webhook: Post "${url}?timeout=10s": refused`, { cause: new Error(url) })
  log.debug({ url }, 'a field')
  log.info({}, `a message ${url}`)
  log.warn({ err: error }, 'an error with its stack and its cause')
  log.child({ client: { url } }).error({ nested: [{ url }] }, 'deep down')
  expect(lines).toHaveLength(4)
  expect(lines.filter((line) => line.includes(secret))).toEqual([])
  expect(lines.filter((line) => !line.includes('/reviews/…/evacuations/mutate'))).toEqual([])
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
