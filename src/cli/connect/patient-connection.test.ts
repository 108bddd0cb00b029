import { expect, test } from 'vitest'
import { TransportError } from '../../kube/client/transport.ts'
import { KubeconfigError } from '../../kube/auth/kubeconfig-error.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { UnfitServerError } from '../../manager/install/server-version.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { connectPatiently } from './patient-connection.ts'

const away = new InstallationError('cannot reach the API server', {
  cause: new TransportError('ECONNREFUSED', { sent: 'no' }),
})

function open() {
  const clock = new VirtualClock()
  const lines: string[] = []
  const tell = (_fields: object, message: string) => void lines.push(message)
  const stop = new AbortController()
  const log = { ...silentLog, info: tell, warn: tell }
  return { clock, lines, stop, parts: { clock, random: seededRandom(1), log, signal: stop.signal } }
}

test('waits for an API server that is away or only starts, with one line, and goes on when it is there', async () => {
  const { clock, lines, parts } = open()
  const answers = [...Array.from({ length: 30 }, () => away), new UnfitServerError('503', 'failing')]
  let attempts = 0
  const connecting = connectPatiently(async () => {
    const error = answers[attempts++]
    if (error !== undefined) throw error
    return 'connected'
  }, parts)
  await clock.advance(60_000)
  expect(attempts).toBeLessThan(12)
  expect(lines).toEqual(['waiting for the API server'])
  await clock.advance(600_000)
  expect(await connecting).toBe('connected')
  expect(lines).toEqual(['waiting for the API server', 'reached the API server'])
})

test.each([
  { name: 'credentials are not accepted', error: new UnfitServerError('not accepted', 'unauthorized') },
  { name: 'nothing may be asked', error: new UnfitServerError('403 at /version', 'silent') },
  { name: 'the server is too old', error: new UnfitServerError('too old', 'tooOld') },
  { name: 'there is no kubeconfig', error: new KubeconfigError('not there') },
])('ends at once where it would be the same for ever: $name', async ({ error }) => {
  await expect(connectPatiently(() => Promise.reject(error), open().parts)).rejects.toBe(error)
})

test('ends when it is interrupted', async () => {
  const { clock, stop, parts } = open()
  const connecting = connectPatiently(() => Promise.reject(away), parts)
  const ended = connecting.catch((error: Error) => error.message)
  await clock.advance(5_000)
  stop.abort(new Error('interrupted'))
  expect(await ended).toBe('interrupted')
})
