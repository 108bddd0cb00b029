import { expect, test } from 'vitest'
import type { ProcessRequest, ProcessResult } from '../../kube/auth/system-files.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { busctlLogind } from './busctl.ts'
import type { LongProcessRequest } from './long-process.ts'

const { signal } = new AbortController()
const environment = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/test/bus' }
const answers: Readonly<Record<string, string>> = {
  'get-property': '{"type":"b","data":true}\n{"type":"(st)","data":["",0]}\n{"type":"t","data":5000000}\n',
  call: '{"type":"a(ssssuu)","data":[[["shutdown","kubelet","","delay",0,7]]]}\n',
}

function open(answer: (request: ProcessRequest) => Promise<ProcessResult>) {
  const requests: ProcessRequest[] = []
  const long: LongProcessRequest[] = []
  const clock = new VirtualClock()
  const logind = busctlLogind({
    processes: {
      run: (request) => {
        requests.push(request)
        return answer(request)
      },
    },
    runLong: async (request) => {
      long.push(request)
      await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve()))
      return 'it ended'
    },
    environment,
    clock,
  })
  return { logind, requests, long, clock }
}

const exited = (stdout: string): ProcessResult => ({ kind: 'exited', code: 0, stdout, stderr: '' })

test('reads properties and locks with one call each, on the bus that it was given', async () => {
  const { logind, requests } = open(async ({ args }) => exited(answers[args[2] ?? ''] ?? ''))
  expect(await logind.read(signal)).toEqual({
    preparing: true,
    scheduled: undefined,
    budgetMs: 5_000,
    locks: [{ what: 'shutdown', who: 'kubelet', mode: 'delay' }],
  })
  expect(requests.map(({ args }) => args.slice(0, 3))).toEqual([
    ['--system', '--json=short', 'get-property'],
    ['--system', '--json=short', 'call'],
  ])
  expect(requests.every((request) => request.environment === environment)).toBe(true)
})

test.each([
  { result: { kind: 'notFound' }, expected: 'busctl get-property: the program is not there' },
  { result: { kind: 'notStarted', problem: 'EACCES' }, expected: 'could not be started (EACCES)' },
  { result: { kind: 'tooMuchOutput' }, expected: 'wrote more than' },
  { result: { kind: 'killed', by: 'SIGKILL', stderr: '' }, expected: 'was ended by SIGKILL' },
  {
    result: { kind: 'exited', code: 1, stdout: '', stderr: 'Failed to connect to bus: No such file or directory\n' },
    expected: 'busctl get-property: Failed to connect to bus: No such file or directory',
  },
  { result: { kind: 'exited', code: 1, stdout: '', stderr: '' }, expected: 'exit code 1' },
] as const)('an answer that is none says why: $expected', async ({ result, expected }) => {
  await expect(open(async () => result).logind.read(signal)).rejects.toThrow(expected)
})

test('does not wait for ever', async () => {
  const { logind, clock } = open(
    (request) =>
      new Promise((_resolve, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason as Error)),
      ),
  )
  const reading = logind.read(signal).catch((error: Error) => error.message)
  await clock.advance(10_000)
  expect(await reading).toBe('busctl did not end within 10 s')
})

test('follows signals of a shutdown and restarts of logind; looks once more when it surely does', async () => {
  const { logind, long, clock } = open(async () => exited(''))
  const stop = new AbortController()
  let notices = 0
  const following = logind.follow(() => notices++, stop.signal)
  await clock.advance(1_000)
  expect(notices).toBe(1)
  long[0]?.onOutput()
  expect(notices).toBe(2)
  const matches = long[0]?.args.filter((arg) => arg.startsWith('--match=')) ?? []
  for (const word of ["'PrepareForShutdown'", "'PrepareForShutdownWithMetadata'", "'NameOwnerChanged'"]) {
    expect(matches.filter((match) => match.includes(word))).toHaveLength(1)
  }
  stop.abort()
  expect(await following).toBe('it ended')
})

test('asks systemd to have logind read its files', async () => {
  const { logind, requests } = open(async () => exited(''))
  await logind.reload(signal)
  expect(requests[0]?.args.slice(-5)).toEqual(['KillUnit', 'ssi', 'systemd-logind.service', 'main', '1'])
})
