import { isIPv4, isIPv6 } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { FeatureGatesError, parseFeatureGates, type FeatureGates } from '../../api/feature-gates.ts'
import { int32 } from '../../api/schema/schema.ts'
import { prioritiesMax } from '../../maintenance/shutdown/shutdown-settings.ts'
import type { Address } from '../../runtime/listen.ts'

// What people write after options, and what it means. An error says what is allowed; the option's name is put before it.

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const durationMaxMs = 24 * unitsMs.h

/** `30s`, `1m`, `2h`, `1m30s`, as Kubernetes writes them. */
export function parseDurationMs(text: string): number {
  const allowed = 'It takes a duration from 0s to 24h, such as 30s, 1m or 2h.'
  if (!/^(\d+(ms|s|m|h))+$/.test(text)) throw new InvalidArgumentError(allowed)
  const parts = text.matchAll(/(\d+)(ms|s|m|h)/g)
  const totalMs = Array.from(parts, ([, count, unit]) => Number(count) * unitsMs[unit as keyof typeof unitsMs]).reduce(
    (sum, partMs) => sum + partMs,
    0,
  )
  if (totalMs > durationMaxMs) throw new InvalidArgumentError(allowed)
  return totalMs
}

/** Between the begins of two cycles. */
export function parseIntervalMs(text: string): number {
  const intervalMs = parseDurationMs(text)
  if (intervalMs === 0) throw new InvalidArgumentError('It takes a duration that is longer than 0s, such as 5m.')
  return intervalMs
}

/** `127.0.0.1:8081`, `[::1]:0`, `[::]:8081`, or `off`. */
export function parseListen(text: string): Address | undefined {
  if (text === 'off') return undefined
  const [, bracketed, plain, port] = /^(?:\[([^\s[\]]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = bracketed ?? plain
  const isRight = bracketed === undefined ? !looksLikeIPv4(plain) || isIPv4(plain) : isIPv6(bracketed)
  if (host === undefined || !isRight || Number(port) > 65_535) {
    throw new InvalidArgumentError(
      'It takes HOST:PORT, such as 127.0.0.1:8081, or [::]:8081 for every address, or off; port 0 is any that is free.',
    )
  }
  return { host, port: Number(port) }
}

/** Otherwise such a one would be looked up as a name. */
function looksLikeIPv4(host: string | undefined): host is string {
  return host !== undefined && /^[\d.]+$/.test(host)
}

export function parseGates(text: string): FeatureGates {
  try {
    return parseFeatureGates(text)
  } catch (error) {
    if (error instanceof FeatureGatesError) throw new InvalidArgumentError(`${error.message}.`)
    throw error
  }
}

/** `0,1000,2000000000`: what a kubelet has, in ascending order; nothing is none. */
export function parsePodPriorities(text: string): readonly number[] {
  if (text === '') return []
  const parts = text.split(',').map((part) => part.trim())
  const priorities = parts.map(Number)
  const isRight = (priority: number, index: number) =>
    /^-?\d+$/.test(parts[index] ?? '') &&
    priority >= int32.minimum &&
    priority <= int32.maximum &&
    (index === 0 || priority > (priorities[index - 1] ?? 0))
  if (priorities.length > prioritiesMax || !priorities.every(isRight)) {
    throw new InvalidArgumentError(
      `It takes up to ${prioritiesMax} priorities in ascending order, integers of 32 bits, with commas between, such as 0,1000,2000000000.`,
    )
  }
  return priorities
}

export function parseWebhookUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.protocol === 'https:' && url.pathname === '/' && url.search === '' && url.hash === ''
  if (url === undefined || !isPlain || url.username !== '') {
    throw new InvalidArgumentError(
      'It takes https://HOST or https://HOST:PORT, as the API server reaches this process.',
    )
  }
  return url
}

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text)
  if (level === undefined) throw new InvalidArgumentError(`It takes one of ${logLevels.join(', ')}.`)
  return level
}

const nodesMax = 5_000

export function parseNodeCount(text: string): number {
  return parseWhole(text, nodesMax)
}

export function parsePort(text: string): number {
  return parseWhole(text, 65_535)
}

function parseWhole(text: string, max: number): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number <= max) return number
  throw new InvalidArgumentError(`It takes a number from 0 to ${max}.`)
}
