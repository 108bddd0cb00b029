import { stringify } from 'yaml'
import type { KeyPair } from '../../../runtime/certificates.ts'

export type Credentials =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly pair: KeyPair }

export interface KubeconfigContent {
  /** Of the cluster and of the context. */
  readonly name: string
  readonly server: string
  /** PEM. */
  readonly certificateAuthority: string
  readonly user: string
  readonly credentials: Credentials
}

/** Self-contained, so that it can be copied anywhere: certificates and credentials are inside. */
export function renderKubeconfig(content: KubeconfigContent): string {
  const { name } = content
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: content.server, 'certificate-authority-data': base64(content.certificateAuthority) },
      },
    ],
    users: [{ name: content.user, user: renderCredentials(content.credentials) }],
    contexts: [{ name, context: { cluster: name, user: content.user, namespace: 'default' } }],
    'current-context': name,
  })
}

function renderCredentials(credentials: Credentials): Record<string, string> {
  switch (credentials.kind) {
    case 'token':
      return { token: credentials.token }
    case 'certificate':
      return {
        'client-certificate-data': base64(credentials.pair.certificate),
        'client-key-data': base64(credentials.pair.key),
      }
    default:
      return credentials satisfies never
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
