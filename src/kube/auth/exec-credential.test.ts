import { describe, expect, test } from 'vitest'

import { sleep } from '../../runtime/clock.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { ExecConfig } from './exec-config.ts'
import { execCredentials } from './exec-credential.ts'
import type { ProcessRequest, ProcessResult } from './system-files.ts'

const apiVersion = 'client.authentication.k8s.io/v1'

function plugin(answer: (run: number, clock: VirtualClock) => ProcessResult, change: Partial<ExecConfig> = {}) {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) })
  const requests: ProcessRequest[] = []
  let takesMs = 0
  const credentials = execCredentials({
    clock,
    config: {
      place: 'user "dev": exec',
      apiVersion,
      command: 'login',
      args: ['--quiet'],
      environment: { PROFILE: 'prod' },
      installHint: undefined,
      provideClusterInfo: false,
      ...change,
    },
    cluster: { server: 'https://x:6443', 'certificate-authority-data': 'QQ==', config: { audience: 'a' } },
    environment: { PATH: '/bin', PROFILE: 'other' },
    processes: {
      run: async (request) => {
        requests.push(request)
        const run = requests.length
        if (takesMs > 0) await sleep(clock, takesMs, request.signal)
        return answer(run, clock)
      },
    },
  })
  return {
    clock,
    requests,
    credentials,
    token: async () => (await credentials.current()).token,
    takes: (delayMs: number) => void (takesMs = delayMs),
  }
}

const printed = (status: object): ProcessResult => ({
  kind: 'exited',
  code: 0,
  stdout: JSON.stringify({ apiVersion, kind: 'ExecCredential', status }),
  stderr: '',
})
const numbered = (run: number) => printed({ token: `t${run}` })
const expiring = (lifeMs: number) => (run: number, clock: VirtualClock) =>
  printed({ token: `t${run}`, expirationTimestamp: new Date(clock.nowMs() + lifeMs).toISOString() })

describe('what the plugin gets', () => {
  test('command, arguments, our environment with its own on top', async () => {
    const { requests, token } = plugin(numbered)
    await token()
    expect(requests[0]).toMatchObject({
      command: 'login',
      args: ['--quiet'],
      environment: { PATH: '/bin', PROFILE: 'prod' },
    })
  })

  test.each([
    { provideClusterInfo: false, spec: { interactive: false } },
    {
      provideClusterInfo: true,
      spec: {
        cluster: { server: 'https://x:6443', 'certificate-authority-data': 'QQ==', config: { audience: 'a' } },
        interactive: false,
      },
    },
  ])('with provideClusterInfo $provideClusterInfo it is told $spec', async ({ provideClusterInfo, spec }) => {
    const { requests, token } = plugin(numbered, { provideClusterInfo })
    await token()
    const told: unknown = JSON.parse(requests[0]?.environment['KUBERNETES_EXEC_INFO'] ?? '')
    expect(told).toEqual({ apiVersion, kind: 'ExecCredential', spec })
  })
})

describe('when it runs', () => {
  test('once for callers at the same time', async () => {
    const { requests, token } = plugin(numbered)
    expect(await Promise.all([token(), token(), token()])).toEqual(['t1', 't1', 't1'])
    expect(requests).toHaveLength(1)
  })

  test('never again without an expiry or a 401', async () => {
    const { clock, token } = plugin(numbered)
    await token()
    await clock.advance(365 * 86_400_000)
    expect(await token()).toBe('t1')
  })

  test('a minute before the credential expires', async () => {
    const { clock, token } = plugin(expiring(600_000))
    await token()
    await clock.advance(539_999)
    expect(await token()).toBe('t1')
    await clock.advance(1)
    expect(await token()).toBe('t2')
  })

  test('at half of its life when that is short', async () => {
    const { clock, token, requests } = plugin(expiring(30_000))
    for (let second = 0; second < 60; second++) {
      await token()
      await clock.advance(1_000)
    }
    expect(requests).toHaveLength(4)
  })

  test('once a second at most when it only gives what is expired', async () => {
    const { clock, token, requests } = plugin(expiring(-5_000))
    for (let tenth = 0; tenth < 100; tenth++) {
      await token()
      await clock.advance(100)
    }
    expect(requests).toHaveLength(10)
  })

  test('after a 401', async () => {
    const { clock, credentials, token } = plugin(numbered)
    await token()
    await clock.advance(5_000)
    credentials.invalidate()
    expect(await token()).toBe('t2')
    expect(await token()).toBe('t2')
  })

  test('once for a burst of 401s that are all about the old credential', async () => {
    const { clock, credentials, token, requests, takes } = plugin(numbered)
    await token()
    await clock.advance(5_000)
    takes(100)
    credentials.invalidate()
    const renewed = token()
    await clock.advance(50)
    credentials.invalidate()
    await clock.advance(50)
    expect(await renewed).toBe('t2')
    expect(await token()).toBe('t2')
    await clock.advance(60_000)
    expect(await token()).toBe('t2')
    expect(requests).toHaveLength(2)
  })

  test('once a second at most after failures', async () => {
    const { clock, token, requests } = plugin(() => ({ kind: 'exited', code: 1, stdout: '', stderr: 'no' }))
    for (let tenth = 0; tenth < 30; tenth++) {
      await expect(token()).rejects.toThrow('no')
      await clock.advance(100)
    }
    expect(requests).toHaveLength(3)
  })
})

describe('when renewing fails', () => {
  const failsLater = (run: number, clock: VirtualClock): ProcessResult =>
    run === 1 ? expiring(600_000)(run, clock) : { kind: 'exited', code: 1, stdout: '', stderr: 'offline' }

  test('the old credential serves to its end', async () => {
    const { clock, token } = plugin(failsLater)
    await token()
    await clock.advance(599_000)
    expect(await token()).toBe('t1')
    await clock.advance(1_000)
    await expect(token()).rejects.toThrow('offline')
  })

  test('one that the server refused does not', async () => {
    const { clock, credentials, token } = plugin(failsLater)
    await token()
    await clock.advance(5_000)
    credentials.invalidate()
    await expect(token()).rejects.toThrow('offline')
  })
})

describe('certificates', () => {
  const certificate = (text: string) => printed({ clientCertificateData: text, clientKeyData: 'k' })

  test('the same one is the same object after a new run, another is another', async () => {
    const { clock, credentials } = plugin((run) => certificate(run < 3 ? 'one' : 'two'))
    const first = await credentials.current()
    await clock.advance(2_000)
    credentials.invalidate()
    const second = await credentials.current()
    expect(second.certificate).toBe(first.certificate)
    await clock.advance(2_000)
    credentials.invalidate()
    expect((await credentials.current()).certificate).toEqual({ certificate: 'two', key: 'k' })
  })
})

describe('failures in one line', () => {
  const place = 'user "dev": exec command "login"'
  test.each<{ result: ProcessResult; expected: string }>([
    { result: { kind: 'notFound' }, expected: `${place} not found; install it or correct the PATH` },
    { result: { kind: 'notStarted', problem: 'EACCES' }, expected: `${place} could not be started (EACCES)` },
    { result: { kind: 'tooMuchOutput' }, expected: `${place} wrote more than 1048576 bytes` },
    { result: { kind: 'killed', by: 'SIGSEGV', stderr: '' }, expected: `${place} was ended by SIGSEGV` },
    {
      result: { kind: 'exited', code: 2, stdout: '', stderr: 'please\n\u001B[1mlog in\u001B[0m\n' },
      expected: `${place} failed with exit code 2: please log in`,
    },
    { result: { kind: 'exited', code: 1, stdout: 'x', stderr: '' }, expected: `${place} failed with exit code 1` },
  ])('$expected', async ({ result, expected }) => {
    const { token } = plugin(() => result)
    const message = await token().then(String, (error: Error) => error.message)
    expect(message.startsWith(expected)).toBe(true)
    expect(message).not.toContain('\n')
  })

  test('a missing command comes with its install hint', async () => {
    const { token } = plugin(() => ({ kind: 'notFound' }), { installHint: 'brew install \u001B[1mlogin' })
    await expect(token()).rejects.toThrow(`${place} not found; brew install login`)
  })

  test('shows the end of long complaints', async () => {
    const stderr = `${'x '.repeat(5_000)}the reason`
    const { token } = plugin(() => ({ kind: 'exited', code: 1, stdout: '', stderr }))
    const message = await token().then(String, (error: Error) => error.message)
    expect(message.endsWith('the reason')).toBe(true)
    expect(message.length).toBeLessThan(500)
  })

  test('repeats no token and no key, whatever the plugin writes', async () => {
    const stderr =
      'bad eyJhbGciOi.eyJzdWIi.c2ln and\n-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\nend'
    const { token } = plugin(() => ({ kind: 'exited', code: 1, stdout: 'eyJsecret', stderr }))
    await expect(token()).rejects.toThrow(`${place} failed with exit code 1: bad [removed] and [removed] end`)
  })

  test('one that hangs is ended after a minute', async () => {
    const { clock, token, takes, requests } = plugin(numbered)
    takes(3_600_000)
    const waiting = token().then(String, (error: Error) => error.message)
    await clock.advance(60_000)
    expect(await waiting).toBe(`${place} did not finish within 60 s`)
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(clock.pendingTimers).toBe(0)
  })
})

test('a caller may leave without ending the run of the others', async () => {
  const { clock, credentials, takes, token } = plugin(numbered)
  takes(100)
  const abort = new AbortController()
  const leaving = credentials.current(abort.signal)
  const staying = token()
  abort.abort(new Error('left'))
  await expect(leaving).rejects.toThrow('left')
  await clock.advance(100)
  expect(await staying).toBe('t1')
})
