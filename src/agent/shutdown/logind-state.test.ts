import { expect, test } from 'vitest'
import { delaysShutdown, parseLocks, parseProperties } from './logind-state.ts'

// In the form that busctl of systemd 252 writes; test/real/shutdown.test.ts has the real one.

const idle =
  '{"type":"b","data":false}\n{"type":"(st)","data":["",18446744073709551615]}\n{"type":"t","data":5000000}\n'

test.each([
  { name: 'nothing', output: idle, expected: { preparing: false, scheduled: undefined, budgetMs: 5_000 } },
  {
    name: 'nothing, as older versions say it',
    output: idle.replace('18446744073709551615', '0'),
    expected: { preparing: false, scheduled: undefined, budgetMs: 5_000 },
  },
  {
    name: 'a shutdown was signalled',
    output: idle.replace('false', 'true'),
    expected: { preparing: true, scheduled: undefined, budgetMs: 5_000 },
  },
  {
    name: 'a reboot is scheduled',
    output: idle.replace('["",18446744073709551615]', '["reboot",1795000000000000]'),
    expected: { preparing: false, scheduled: { action: 'reboot', atMs: 1_795_000_000_000 }, budgetMs: 5_000 },
  },
])('$name', ({ output, expected }) => {
  expect(parseProperties(output)).toEqual(expected)
})

test.each(['', 'Failed to connect to bus', '{"type":"b","data":false}', idle.replace('5000000', '"5000000"')])(
  'is not read as anything: %j',
  (output) => {
    expect(() => parseProperties(output)).toThrow('busctl wrote what cannot be read')
  },
)

const locks =
  '{"type":"a(ssssuu)","data":[[["shutdown","Lifeboat","drain the node","delay",0,31],["shutdown","kubelet","Kubelet needs time","delay",0,7],["sleep:shutdown","UPower","","delay",0,8]]]}\n'

test('locks are read with who has them', () => {
  expect(parseLocks(locks)).toEqual([
    { what: 'shutdown', who: 'Lifeboat', mode: 'delay' },
    { what: 'shutdown', who: 'kubelet', mode: 'delay' },
    { what: 'sleep:shutdown', who: 'UPower', mode: 'delay' },
  ])
  expect(parseLocks('{"type":"a(ssssuu)","data":[[]]}')).toEqual([])
})

test.each(['', '{"type":"s","data":["x"]}', '{"type":"a(ssssuu)","data":[[["shutdown",1]]]}'])(
  'no locks are read from %j',
  (output) => {
    expect(() => parseLocks(output)).toThrow('busctl wrote what cannot be read')
  },
)

test.each([
  { lock: { what: 'shutdown', who: 'kubelet', mode: 'delay' }, expected: true },
  { lock: { what: 'sleep:shutdown', who: 'kubelet', mode: 'delay' }, expected: true },
  { lock: { what: 'sleep', who: 'kubelet', mode: 'delay' }, expected: false },
  { lock: { what: 'shutdown', who: 'kubelet', mode: 'block' }, expected: false },
  { lock: { what: 'shutdown', who: 'somebody', mode: 'delay' }, expected: false },
])('$lock delays a shutdown for the kubelet: $expected', ({ lock, expected }) => {
  expect(delaysShutdown(lock, 'kubelet')).toBe(expected)
})
