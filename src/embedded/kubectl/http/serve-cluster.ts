import type { Clock } from '../../../runtime/clock.ts'
import type { Log } from '../../../runtime/log.ts'
import { administrators } from '../../server/auth/role-based-authorizer.ts'
import type { EmbeddedCluster } from '../../cluster.ts'
import { createAuthority } from '../../../runtime/certificates.ts'
import { renderKubeconfig } from './kubeconfig.ts'
import { openListener } from './listener.ts'

export interface ServedCluster extends AsyncDisposable {
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  /** Of an administrator. */
  readonly kubeconfig: string
}

export interface ServeOptions {
  /** 0: any that is free. */
  readonly port: number
  readonly clock: Clock
  readonly log: Log
  /** Of the cluster, in its kubeconfig. */
  readonly name: string
}

/** Opens the embedded cluster to kubectl and other clients of this machine, with certificates made for the occasion. */
export async function serveCluster(
  cluster: EmbeddedCluster,
  { port, clock, log, name }: ServeOptions,
): Promise<ServedCluster> {
  const authority = createAuthority(name, clock.nowMs())
  const serving = authority.issue({
    // Not the authority's own name: OpenSSL would take it for signed by itself.
    commonName: 'kube-apiserver',
    usage: 'server',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    addresses: ['127.0.0.1'],
  })
  const { server, definitions, authenticator, authorizer } = cluster
  const security = { serving, clientAuthority: authority.certificate }
  const listener = await openListener({ server, definitions, authenticator, authorizer, port, security, log })
  const pair = authority.issue({ commonName: 'admin', organizations: [administrators], usage: 'client' })
  const kubeconfig = renderKubeconfig({
    name,
    server: listener.url,
    certificateAuthority: authority.certificate,
    user: 'admin',
    credentials: { kind: 'certificate', pair },
  })
  return {
    url: listener.url,
    certificateAuthority: authority.certificate,
    kubeconfig,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}
