import type { Credentials } from './credentials.ts'

/** How to reach an API server, and as whom. */
export interface ClusterAccess {
  /** `https://host:port`, perhaps with a path, never with a slash at the end. */
  readonly server: string
  /** Where to look unless the caller names another. */
  readonly namespace: string
  readonly tls: ClusterTls
  readonly credentials: Credentials
}

export interface ClusterTls {
  /** PEM; without it the system's own roots decide. */
  readonly certificateAuthority?: string
  readonly insecureSkipVerify: boolean
  /** The name the server's certificate must have, where it is not the host's. */
  readonly serverName?: string
}
