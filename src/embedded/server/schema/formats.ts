import { isIP } from 'node:net'

type FormatCheck = (text: string) => boolean

const hexadecimal = (pattern: string): FormatCheck => {
  const compiled = new RegExp(`^${pattern}$`, 'i')
  return (text) => compiled.test(text)
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const goDuration = /^[+-]?(?:0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const spelledDuration =
  /^[0-9]+\s*(?:ns|us|µs|ms|s|m|h|d|w|nanos?|nanoseconds?|micros?|microseconds?|millis?|milliseconds?|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|weeks?)$/

/** Names without dashes, as the real server compares them. Formats that are not here accept everything. */
const checks: Readonly<Record<string, FormatCheck>> = {
  datetime: isDateTime,
  date: (text) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && isDateTime(`${text}T00:00:00Z`),
  duration: (text) => goDuration.test(text) || spelledDuration.test(text),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  uuid: hexadecimal('[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}'),
  uuid3: hexadecimal('[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}'),
  uuid4: hexadecimal('[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}'),
  uuid5: hexadecimal('[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}'),
  ipv4: (text) => isIP(text) === 4,
  ipv6: (text) => isIP(text) === 6,
  cidr: isCidr,
  mac: hexadecimal('[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}'),
  uri: (text) => text.startsWith('/') || URL.canParse(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) =>
    text.length <= 255 && text.split('.').every((label) => /^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/.test(label)),
  hexcolor: hexadecimal('#?(?:[0-9a-f]{3}|[0-9a-f]{6})'),
  k8sshortname: (text) => text.length <= 63 && dnsLabel.test(text),
  k8slongname: (text) => text.length <= 253 && text.split('.').every((label) => dnsLabel.test(label)),
}

export function hasFormat(text: string, format: string): boolean {
  return checks[format.replaceAll('-', '')]?.(text) ?? true
}

const dateTime =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))$/

/** RFC 3339. A regular expression of our own, in linear time. */
function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text)
  if (parts === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? '0'))
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    offsetHour <= 23 &&
    offsetMinute <= 59
  )
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const family = isIP(address)
  return more.length === 0 && family !== 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)
}
