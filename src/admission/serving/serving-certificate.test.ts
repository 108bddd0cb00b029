import { expect, test } from 'vitest'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { makeServingCertificate } from './serving-certificate.ts'

const dayMs = 24 * 60 * 60 * 1_000
const names = { dnsNames: [], addresses: ['127.0.0.1'] }

test('a certificate is renewed in time, and so is its authority, which others hear of before anybody sees it', async () => {
  const clock = new VirtualClock()
  const certificate = makeServingCertificate({ clock, names })
  const stop = new AbortController()
  const seen: { days: number; serving: string; bundle: string }[] = []
  const note = () =>
    seen.push({
      days: Math.round((clock.nowMs() - Date.UTC(2026, 0, 1)) / dayMs),
      serving: certificate.serving().certificate,
      bundle: certificate.caBundle(),
    })
  note()
  const keeping = certificate.keepFresh(stop.signal, note)
  await clock.advance(364 * dayMs)
  stop.abort()
  await keeping
  expect(seen.map(({ days }) => days)).toEqual([0, 60, 120, 180, 240, 243, 300, 360])
  // The authority changed once, and then only the bundle.
  const changes = seen.slice(1).map(({ serving, bundle }, index) => ({
    serving: serving !== seen[index]?.serving,
    bundle: bundle !== seen[index]?.bundle,
  }))
  const renewed = { serving: true, bundle: false }
  expect(changes).toEqual([renewed, renewed, renewed, renewed, { serving: false, bundle: true }, renewed, renewed])
  expect(clock.pendingTimers).toBe(0)
})
