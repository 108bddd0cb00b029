import type { LifeboatProcess } from '../test/cluster/lifeboat.ts'
import { waitUntil } from './wait-until.ts'

/** For processes that are started from now on: any free port, so that several can be asked. */
export function allowInspection(): void {
  process.env['NODE_OPTIONS'] = '--inspect-port=0'
}

/** Afterwards the process holds what it needs, and not what it has not cleared away yet. */
export async function collectGarbage(lifeboat: LifeboatProcess): Promise<void> {
  process.kill(lifeboat.pid, 'SIGUSR1')
  const addressOf = () => /Debugger listening on (ws:\/\/\S+)/.exec(lifeboat.said())?.[1]
  await waitUntil({ what: 'the inspector listens', withinMs: 30_000 }, () =>
    addressOf() === undefined ? lifeboat.said() : undefined,
  )
  const socket = new WebSocket(addressOf() ?? '')
  const answered = Promise.withResolvers<void>()
  socket.addEventListener('open', () => socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })))
  socket.addEventListener('message', () => answered.resolve())
  socket.addEventListener('error', () => answered.reject(new Error('the inspector does not answer')))
  await answered.promise
  socket.close()
}
