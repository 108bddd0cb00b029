import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { buildSecretPath } from '../../admission/serving/path-secret.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { admissionObjects, type EvictTimeBy } from './admission-objects.ts'
import { Registrar } from './registrar.ts'
import { Registration, type RegistrarRights } from './registration.ts'

function ground(options: { rights?: RegistrarRights; isServing?: boolean; api?: FakeApi } = {}) {
  const { rights = 'createAndDelete', isServing = true, api = new FakeApi() } = options
  const clock = new VirtualClock()
  const state = { isReached: false, caBundle: '1', isLedByAnother: false }
  const problems: string[] = []
  const warnings: string[] = []
  const told = { count: 0 }
  api.fault = ({ path }) => {
    if (!path.endsWith('/evacuations')) return undefined
    return state.isReached
      ? failure(422, 'Invalid', 'no such pod')
      : failure(500, 'InternalError', 'connection refused')
  }
  const kube = buildKube(api, clock)
  const client = isServing ? () => ({ url: 'https://here', caBundle: state.caBundle }) : undefined
  const gates = { ...featureGateDefaults, EvacuationAPI: isServing }
  const registrar = new Registrar({
    registration: new Registration({
      rights,
      objects: (evictTimeBy) =>
        admissionObjects({ gates, namespace: 'ns', client, evictTimeBy, controllerEvictTimeout: '60s' }),
    }),
    kubes: { plain: kube, fenced: kube, probe: kube },
    rights,
    isServing,
    clock,
    random: seededRandom(1),
    log: { ...silentLog, warn: ({ error }) => warnings.push(String(error)) },
    namespace: 'ns',
    noteProblem: (why) => problems.push(why),
    isLedByAnother: () => state.isLedByAnother,
    noteTold: () => void told.count++,
  })
  return { clock, api, state, registrar, problems, warnings, told }
}

const pass = async (clock: VirtualClock, milliseconds: number) => {
  for (let leftMs = milliseconds; leftMs > 0; leftMs -= 50) await clock.advance(50)
}

test('whom the API server reaches already changes nothing', async () => {
  const { registrar, state, api } = ground()
  state.isReached = true
  expect(await registrar.introduce(new AbortController().signal)).toBe(true)
  expect(api.objects.size).toBe(0)
})

test('whom nobody reaches registers, and asks until it is reached, saying why it is not', async () => {
  const { clock, registrar, state, api, problems } = ground()
  const introduced = registrar.introduce(new AbortController().signal)
  await pass(clock, 3_000)
  expect(api.objects.size).toBe(17)
  expect(new Set(problems)).toEqual(new Set(['connection refused']))
  state.isReached = true
  await pass(clock, 1_000)
  expect(await introduced).toBe(true)
})

test('who may only change waits for the one that leads, and notices when it has told the API server', async () => {
  const { clock, registrar, api, told } = ground({ rights: 'updateOnly' })
  const introduced = registrar.introduce(new AbortController().signal)
  await pass(clock, 3_000)
  expect(api.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/evacuations'))).toEqual([])
  expect(told.count).toBe(0)
  const stop = new AbortController()
  const leader = ground({ api })
  const kept = leader.registrar.keep(stop.signal)
  await pass(leader.clock, 1_000)
  await pass(clock, 1_000)
  expect(told.count).toBeGreaterThan(0)
  leader.state.isReached = true
  await pass(clock, 1_000)
  expect(await introduced).toBe(true)
  stop.abort(new Error('enough'))
  await pass(leader.clock, 50)
  await kept
})

test('who may only change does not wait for a leader that tells of other webhooks, as one of a former release', async () => {
  const { clock, registrar, api, state, told } = ground({ rights: 'updateOnly' })
  const stop = new AbortController()
  const introduced = registrar.introduce(stop.signal)
  await pass(clock, 3_000)
  expect(told.count).toBe(0)
  state.isLedByAnother = true
  await pass(clock, 1_000)
  expect(told.count).toBeGreaterThan(0)
  expect(api.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/evacuations'))).toEqual([])
  stop.abort(new Error('enough'))
  await pass(clock, 50)
  expect(await introduced).toBe(false)
})

test('with nothing to serve there is nobody to reach, only something to take out', async () => {
  const { registrar } = ground({ isServing: false })
  expect(await registrar.introduce(new AbortController().signal)).toBe(true)
})

test('it stops when told to', async () => {
  const { clock, registrar } = ground()
  const stop = new AbortController()
  const introduced = registrar.introduce(stop.signal)
  await pass(clock, 500)
  stop.abort(new Error('enough'))
  await pass(clock, 50)
  expect(await introduced).toBe(false)
})

test('while it leads it looks every minute, and at once when the certificates changed', async () => {
  const { clock, registrar, state, api } = ground()
  const stop = new AbortController()
  const kept = registrar.keep(stop.signal)
  await pass(clock, 1_000)
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/lifeboat-admission-evacuations'
  const bundle = () => JSON.stringify(api.objects.get(path)).match(/"caBundle":"(\d)"/)?.[1]
  expect(bundle()).toBe('1')
  state.caBundle = '2'
  registrar.wake()
  await pass(clock, 500)
  expect(bundle()).toBe('2')
  api.remove(path)
  await pass(clock, 61_000)
  expect(bundle()).toBe('2')
  stop.abort(new Error('enough'))
  await pass(clock, 50)
  await kept
})

test('trouble is told once, tried again, and named when it is about what was never installed', async () => {
  const { clock, registrar, warnings } = ground({ rights: 'updateOnly' })
  const stop = new AbortController()
  const kept = registrar.keep(stop.signal)
  await pass(clock, 130_000)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('not installed: ValidatingAdmissionPolicy lifeboat-evacuation-rights')
  stop.abort(new Error('enough'))
  await pass(clock, 50)
  await kept
})

test('a replica whom the API server does not reach for long says so once', async () => {
  const { clock, registrar, warnings, state } = ground({ rights: 'updateOnly' })
  const introduced = registrar.introduce(new AbortController().signal)
  await pass(clock, 3_000)
  expect(warnings).toEqual([])
  await pass(clock, 60_000)
  expect(warnings).toEqual(['connection refused'])
  state.isReached = true
  await pass(clock, 1_000)
  expect(await introduced).toBe(true)
})

test('the secret in the URL of a webhook is neither logged nor shown, although the API server tells it', async () => {
  const { clock, registrar, api, warnings, problems } = ground()
  const secret = '5'.repeat(64)
  const post = `Post "https://here${buildSecretPath(secret, '/evacuations/mutate')}?timeout=10s"`
  const quoted = `Invalid value: "https://here${buildSecretPath(secret, '/pods/hold')}"`
  api.fault = ({ path }) =>
    path.endsWith('/evacuations')
      ? failure(500, 'InternalError', `failed calling webhook "mutate": ${post}: connection refused`)
      : undefined
  const stop = new AbortController()
  const introduced = registrar.introduce(stop.signal)
  await pass(clock, 60_000)
  api.fault = () => failure(422, 'Invalid', quoted)
  const kept = registrar.keep(stop.signal)
  await pass(clock, 1_000)
  stop.abort(new Error('enough'))
  await pass(clock, 50)
  await Promise.all([introduced, kept])
  expect(warnings).toHaveLength(2)
  expect(warnings.join()).toContain('/reviews/…/evacuations/mutate?timeout=10s": connection refused')
  expect(warnings.join()).toContain('/reviews/…/pods/hold')
  expect([...warnings, ...problems].filter((line) => line.includes(secret))).toEqual([])
})

test('withdrawing does not fail, whatever the API server says', async () => {
  const { registrar, api, warnings } = ground()
  api.fault = () => failure(403, 'Forbidden', 'no')
  await registrar.withdraw(new AbortController().signal)
  expect(warnings).toHaveLength(1)
})

test('what is being registered when it stops is withdrawn too', async () => {
  const { transport, clock, store } = buildServer()
  const hold = Promise.withResolvers<void>()
  const slow: Transport = {
    request: async (request) => {
      if (request.method === 'POST') await hold.promise
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
  const kube = buildKube(slow, clock)
  const client = () => ({ url: 'https://here', caBundle: '' })
  const objects = (evictTimeBy: readonly EvictTimeBy[]) =>
    admissionObjects({
      gates: featureGateDefaults,
      namespace: 'ns',
      client,
      evictTimeBy,
      controllerEvictTimeout: '60s',
    })
  const registrar = new Registrar({
    registration: new Registration({ rights: 'createAndDelete', objects }),
    kubes: { plain: kube, fenced: kube, probe: kube },
    rights: 'createAndDelete',
    isServing: true,
    clock,
    random: seededRandom(1),
    log: silentLog,
    namespace: 'ns',
    noteProblem: () => {},
    isLedByAnother: () => false,
    noteTold: () => {},
  })
  const stop = new AbortController()
  const kept = registrar.keep(stop.signal)
  await pass(clock, 100)
  stop.abort(new Error('enough'))
  await pass(clock, 100)
  await kept
  const withdrawn = registrar.withdraw(new AbortController().signal)
  hold.resolve()
  await pass(clock, 1_000)
  await withdrawn
  expect(store.count('mutatingwebhookconfigurations.admissionregistration.k8s.io')).toBe(0)
  expect(store.count('validatingadmissionpolicies.admissionregistration.k8s.io')).toBe(5)
})
