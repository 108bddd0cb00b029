import { createSecureContext } from 'node:tls'
import type { Pool } from 'undici'
import type { ClientCertificate } from '../auth/credentials.ts'
import { asTransportError } from './undici-errors.ts'

export interface ServerTls {
  readonly certificateAuthority?: string
  readonly insecureSkipVerify: boolean
  readonly serverName?: string
}

type ConnectOptions = Exclude<NonNullable<Pool.Options['connect']>, (...args: never) => unknown>

const connectTimeoutMs = 10_000

/** How connections to this origin are opened. Certificates are read once, and not again for each connection. */
export function connectOptions(
  origin: string,
  { certificateAuthority: ca, insecureSkipVerify, serverName }: ServerTls,
  certificate: ClientCertificate | undefined,
): ConnectOptions {
  return {
    timeout: connectTimeoutMs,
    keepAlive: true,
    rejectUnauthorized: !insecureSkipVerify,
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(origin.startsWith('https:') ? { secureContext: secureContextOf(ca, certificate) } : {}),
  }
}

function secureContextOf(ca: string | undefined, certificate: ClientCertificate | undefined) {
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca }),
      ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
    })
  } catch (cause) {
    throw asTransportError(cause)
  }
}
