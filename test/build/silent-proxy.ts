import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SilentProxy extends AsyncDisposable {
  readonly port: number
  readonly connections: () => number
  /** From now on nothing passes on the connections that are open, and neither end is told. New ones work. */
  fallSilent(): void
}

/** A TCP proxy on loopback whose connections can die as they do behind a firewall that forgets them: without a word. */
export async function openSilentProxy(targetPort: number): Promise<SilentProxy> {
  const open = new Set<{ readonly pair: readonly [Socket, Socket] }>()
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections++
    const upstream = connect(targetPort, '127.0.0.1')
    const entry = { pair: [client, upstream] as const }
    open.add(entry)
    for (const socket of entry.pair) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        if (open.has(entry)) for (const end of entry.pair) end.destroy()
        open.delete(entry)
      })
    }
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    fallSilent() {
      for (const { pair } of open) {
        for (const socket of pair) {
          socket.unpipe()
          socket.pause()
        }
      }
      open.clear()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
