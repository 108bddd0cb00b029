import { describe, expect, test } from 'vitest'
import {
  parseDurationMs,
  parseGates,
  parseIntervalMs,
  parseListen,
  parseLogLevel,
  parsePodPriorities,
  parseWebhookUrl,
} from './settings.ts'

describe('a duration', () => {
  test.each([
    ['30s', 30_000],
    ['1m', 60_000],
    ['2h', 7_200_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['0s', 0],
    ['24h', 86_400_000],
  ])('%s is %i ms', (text, expected) => expect(parseDurationMs(text)).toBe(expected))

  test.each(['', '1', '1 m', '-1m', '1d', '1.5h', '25h', 'm'])('"%s" is none', (text) => {
    expect(() => parseDurationMs(text)).toThrow('30s, 1m or 2h')
  })
})

describe('an address to listen at', () => {
  test.each([
    ['127.0.0.1:8081', { host: '127.0.0.1', port: 8081 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['[::1]:8081', { host: '::1', port: 8081 }],
    ['[::]:8081', { host: '::', port: 8081 }],
    ['[fd00::a:1]:8081', { host: 'fd00::a:1', port: 8081 }],
    ['[::ffff:10.0.0.1]:8081', { host: '::ffff:10.0.0.1', port: 8081 }],
    ['[fe80::1%eth0]:8081', { host: 'fe80::1%eth0', port: 8081 }],
    ['lifeboat.example.com:8081', { host: 'lifeboat.example.com', port: 8081 }],
    ['off', undefined],
  ])('%s', (text, expected) => expect(parseListen(text)).toEqual(expected))

  test.each(['', '8081', ':8081', 'localhost', '::1:8081', 'localhost:65536', 'a b:1'])('"%s" is none', (text) => {
    expect(() => parseListen(text)).toThrow('HOST:PORT')
  })

  test.each([
    '[::1]',
    '[]:8081',
    '[1::2::3]:8081',
    '[:::]:8081',
    '[localhost]:80',
    '[127.0.0.1]:80',
    '10.0.0.256:80',
    '10.1:80',
  ])('"%s" is none, and how one of IPv6 is written is told', (text) =>
    expect(() => parseListen(text)).toThrow('[::]:8081'),
  )
})

describe('priorities of pods', () => {
  test.each([
    { text: '', expected: [] },
    { text: '0', expected: [0] },
    { text: '-5, 0,1000,2000000000', expected: [-5, 0, 1_000, 2_000_000_000] },
  ])('"$text"', ({ text, expected }) => expect(parsePodPriorities(text)).toEqual(expected))

  test.each(['a', '1,,2', '1,1', '2,1', '0.5', '1e3', '2147483648', Array.from({ length: 19 }, (_, at) => at).join()])(
    '"%s" are none',
    (text) => expect(() => parsePodPriorities(text)).toThrow('up to 18 priorities in ascending order'),
  )
})

describe('the URL of the webhooks', () => {
  test('is a place, without a path', () => {
    expect(parseWebhookUrl('https://lifeboat.example.com:8443').port).toBe('8443')
    expect(parseWebhookUrl('https://[fd00::1]').hostname).toBe('[fd00::1]')
  })

  test.each(['', 'http://a', 'https://a/path', 'https://user@a', 'https://a?x=1', 'a:8443'])('"%s" is none', (text) => {
    expect(() => parseWebhookUrl(text)).toThrow('https://HOST')
  })
})

test('gates and levels that nobody knows are named with those that there are', () => {
  expect(parseGates('PodEvictPolicy=false').PodEvictPolicy).toBe(false)
  expect(() => parseGates('Teleport=true')).toThrow('unknown feature gate Teleport; allowed are EvacuationAPI')
  expect(parseLogLevel('warn')).toBe('warn')
  expect(() => parseLogLevel('loud')).toThrow('debug, info, warn, error')
})

test.each([
  { text: '0s', says: 'longer than 0s' },
  { text: '0h0m', says: 'longer than 0s' },
  { text: '5', says: '30s, 1m or 2h' },
])('an interval is not $text', ({ text, says }) => {
  expect(() => parseIntervalMs(text)).toThrow(says)
  expect(parseIntervalMs('5m')).toBe(300_000)
})
