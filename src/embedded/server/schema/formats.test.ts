import { expect, test } from 'vitest'
import { hasFormat } from './formats.ts'

test.each([
  ['date-time', '2026-01-31T12:00:00Z', true],
  ['date-time', '2026-01-31T12:00:00.123456+02:00', true],
  ['date-time', '2026-02-30T12:00:00Z', false],
  ['date-time', '2026-01-31', false],
  ['date-time', 'soon', false],
  ['date-time', '2026-01-31T25:00:00Z', false],
  ['date', '2026-01-31', true],
  ['date', '2026-13-01', false],
  ['duration', '1h30m', true],
  ['duration', '22 ns', true],
  ['duration', 'long', false],
  ['byte', 'YWJj', true],
  ['byte', 'YWJ', false],
  ['uuid', 'f5823a89-e03f-4752-b013-445643b8c7a0', true],
  ['uuid', 'seven', false],
  ['ipv4', '10.0.0.1', true],
  ['ipv4', '::1', false],
  ['ipv6', '::1', true],
  ['cidr', '10.0.0.0/8', true],
  ['cidr', '10.0.0.0/33', false],
  ['mac', '00:00:5e:00:53:01', true],
  ['uri', 'https://example.com/a', true],
  ['uri', 'no uri', false],
  ['email', 'a@example.com', true],
  ['email', 'a', false],
  ['hostname', 'example.com', true],
  ['hostname', '-a', false],
  ['hexcolor', '#FFF', true],
  ['k8s-short-name', 'abc', true],
  ['k8s-short-name', 'a.b', false],
  ['k8s-long-name', 'a.b', true],
  ['password', 'anything', true],
])('%s %s: %j', (format, text, expected) => {
  expect(hasFormat(text, format)).toBe(expected)
})
