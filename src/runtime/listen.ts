import { once } from 'node:events'
import { isIPv6, type AddressInfo, type Server } from 'node:net'

/** Every address of this machine: a socket that listens here takes connections by IPv6 and by IPv4. */
export const everyAddress = '::'
const everyIPv4Address = '0.0.0.0'

export interface Address {
  readonly host: string
  readonly port: number
}

/** What the kernel says where IPv6 is switched off, or was never built in. */
const codesWithoutIPv6: ReadonlySet<unknown> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])

/** Listens, and tells at which port. Of every address, it is every IPv4 address where the machine has no IPv6. */
export async function listenAt(server: Server, { host, port }: Address): Promise<number> {
  try {
    return await tryToListen(server, { host, port })
  } catch (error) {
    if (host !== everyAddress || !codesWithoutIPv6.has((error as NodeJS.ErrnoException).code)) throw error
    return await tryToListen(server, { host: everyIPv4Address, port })
  }
}

async function tryToListen(server: Server, { host, port }: Address): Promise<number> {
  server.listen({ host, port, ipv6Only: false })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** `127.0.0.1:8081`, `[::1]:8081`: as in a URL. */
export function renderAddress({ host, port }: Address): string {
  return `${renderHost(host)}:${port}`
}

export function renderHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}
