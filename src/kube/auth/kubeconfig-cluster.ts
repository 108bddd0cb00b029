import type { ClusterTls } from './cluster-access.ts'
import type { ExecClusterInfo } from './exec-credential.ts'
import type { KubeconfigEntry } from './kubeconfig-entry.ts'
import { flagField, isFields, isSet, listField, pemField, textField } from './kubeconfig-entry.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import type { FileReader } from './system-files.ts'

export interface ResolvedCluster {
  readonly server: string
  readonly tls: ClusterTls
  readonly execInfo: ExecClusterInfo
}

export async function resolveCluster(cluster: KubeconfigEntry, files: FileReader): Promise<ResolvedCluster> {
  if (isSet(cluster, 'proxy-url')) {
    throw new KubeconfigError(`${cluster.place}: proxy-url is not supported; remove it or use a server without a proxy`)
  }
  const server = parseServer(cluster)
  const certificateAuthority = await pemField(cluster, 'certificate-authority', { kind: 'certificate', files })
  const insecureSkipVerify = flagField(cluster, 'insecure-skip-tls-verify')
  if (insecureSkipVerify && certificateAuthority !== undefined) {
    throw new KubeconfigError(
      `${cluster.place}: insecure-skip-tls-verify and a certificate-authority exclude each other; remove one`,
    )
  }
  const serverName = textField(cluster, 'tls-server-name')
  return {
    server,
    tls: {
      insecureSkipVerify,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      ...(serverName === undefined ? {} : { serverName }),
    },
    execInfo: {
      server,
      ...(serverName === undefined ? {} : { 'tls-server-name': serverName }),
      ...(insecureSkipVerify ? { 'insecure-skip-tls-verify': true } : {}),
      ...(certificateAuthority === undefined
        ? {}
        : { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') }),
      ...execExtension(cluster),
    },
  }
}

function parseServer(cluster: KubeconfigEntry): string {
  const text = textField(cluster, 'server')
  if (text === undefined) throw new KubeconfigError(`${cluster.place}: has no server`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    throw new KubeconfigError(`${cluster.place}: server is not a URL such as https://host:6443`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new KubeconfigError(
      `${cluster.place}: server may hold no user, password, query or fragment, only host and path`,
    )
  }
  return url.href.replace(/\/+$/u, '')
}

/** What a plugin is told about this cluster in particular: an extension under a reserved name. */
function execExtension(cluster: KubeconfigEntry): { config?: unknown } {
  const found = listField(cluster, 'extensions').find(
    (extension) => isFields(extension) && extension['name'] === 'client.authentication.k8s.io/exec',
  )
  return isFields(found) && found['extension'] !== undefined ? { config: found['extension'] } : {}
}
