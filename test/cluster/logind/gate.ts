import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to a server of this machine that can be shut and opened again. */
export interface Gate extends AsyncDisposable {
  readonly port: number
  /** Breaks what is open, and lets nothing in. */
  shut(): void
  open(): void
}

const host = '127.0.0.1'

export async function openGate(towardsPort: number): Promise<Gate> {
  let isShut = false
  const sockets = new Set<Socket>()
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((incoming) => {
    if (isShut) return void incoming.destroy()
    const outgoing = connect(towardsPort, host)
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.once('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    shut: () => {
      isShut = true
      end()
    },
    open: () => {
      isShut = false
    },
    [Symbol.asyncDispose]: async () => {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
