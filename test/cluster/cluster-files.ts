import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { createAuthority } from '../../src/runtime/certificates.ts'
import { renderKubeconfig } from '../../src/embedded/kubectl/http/kubeconfig.ts'
import { addresses, type Component, filesIn } from './components.ts'

export interface ClusterSecrets {
  readonly certificateAuthority: string
  readonly adminToken: string
}

const administrators = 'system:masters'
const name = 'lifeboat-test'

/** The users that components act as. kwok has no role of its own in Kubernetes and plays all kubelets at once. */
const componentUsers: readonly { component: Component; user: string; group: string }[] = [
  { component: 'kube-controller-manager', user: 'system:kube-controller-manager', group: '' },
  { component: 'kube-scheduler', user: 'system:kube-scheduler', group: '' },
  { component: 'kwok', user: 'kwok', group: administrators },
]

const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', resources: [{ resources: ['pods/eviction'] }] }, { level: 'None' }],
})

/** Writes all that the components read: certificates, tokens and kubeconfigs. */
export async function writeClusterFiles(options: {
  readonly folder: string
  readonly server: string
  readonly apiServerService: string
}): Promise<ClusterSecrets> {
  const files = filesIn(options.folder)
  await mkdir(options.folder, { recursive: true })
  const authority = createAuthority(name, Date.now())
  const serving = authority.issue({
    commonName: 'kube-apiserver',
    usage: 'server',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    addresses: [addresses.loopback, options.apiServerService],
  })
  const admin = authority.issue({ commonName: 'admin', organizations: [administrators], usage: 'client' })
  const adminToken = newToken()
  const tokens = [`${adminToken},admin,admin,${administrators}`]
  const certificateAuthority = authority.certificate
  const write = (path: string, content: string) => writeFile(path, content, { mode: 0o600 })

  for (const { component, user, group } of componentUsers) {
    const token = newToken()
    tokens.push(`${token},${user},${user},${group}`)
    const credentials = { kind: 'token', token } as const
    const kubeconfig = renderKubeconfig({ name, server: options.server, certificateAuthority, user, credentials })
    await write(files.kubeconfigOf(component), kubeconfig)
  }
  const access = { name, server: options.server, certificateAuthority, user: 'admin' }
  // The API server verifies a certificate again with every request; a token it only looks up.
  const kubeconfig = renderKubeconfig({ ...access, credentials: { kind: 'token', token: adminToken } })
  const withCertificate = renderKubeconfig({ ...access, credentials: { kind: 'certificate', pair: admin } })
  await Promise.all([
    write(files.kubeconfig, kubeconfig),
    write(files.kubeconfigWithCertificate, withCertificate),
    write(files.authority, certificateAuthority),
    write(files.authorityKey, authority.key),
    write(files.serving, serving.certificate),
    write(files.servingKey, serving.key),
    write(files.signingKey, createSigningKey()),
    write(files.tokens, `${tokens.join('\n')}\n`),
    write(files.auditPolicy, auditPolicy),
  ])
  return { certificateAuthority, adminToken }
}

function newToken(): string {
  return randomBytes(24).toString('hex')
}

/** The key that signs service account tokens. Only in this form does kube-apiserver find the public half in it too. */
function createSigningKey(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' })
}
