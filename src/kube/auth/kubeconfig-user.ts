import { resolve } from 'node:path'

import type { Clock } from '../../runtime/clock.ts'
import type { ClientCertificate, Credentials } from './credentials.ts'
import { isBearerToken, staticCredentials, tokenFileCredentials } from './credentials.ts'
import { parseExecConfig } from './exec-config.ts'
import type { ExecClusterInfo } from './exec-credential.ts'
import { execCredentials } from './exec-credential.ts'
import type { KubeconfigEntry } from './kubeconfig-entry.ts'
import { isSet, pemField, textField } from './kubeconfig-entry.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import type { FileReader, ProcessRunner } from './system-files.ts'

export interface UserPorts {
  readonly files: FileReader
  readonly processes: ProcessRunner
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** What a user may not have, and why. */
const refusals: readonly { readonly fields: readonly string[]; readonly because: string }[] = [
  {
    fields: ['username', 'password'],
    because: 'Kubernetes no longer knows passwords; use a token, a client certificate or exec',
  },
  { fields: ['auth-provider'], because: 'Kubernetes removed it; use exec with the plugin of your provider' },
  {
    fields: ['as', 'as-uid', 'as-groups', 'as-user-extra'],
    because: 'Lifeboat acts with its own rights and never as another user; remove it',
  },
]

/** The credentials of a user; `cluster` is what an exec plugin may be told. */
export async function resolveUser(
  user: KubeconfigEntry,
  cluster: ExecClusterInfo,
  ports: UserPorts,
): Promise<Credentials> {
  for (const { fields, because } of refusals) {
    const found = fields.find((field) => isSet(user, field))
    if (found !== undefined) throw new KubeconfigError(`${user.place}: ${found} is not supported: ${because}`)
  }
  const certificate = await clientCertificate(user, ports.files)
  const token = textField(user, 'token')
  if (token !== undefined && !isBearerToken(token)) {
    throw new KubeconfigError(`${user.place}: token has blanks or line breaks in it`)
  }
  const tokenFile = textField(user, 'tokenFile')
  if (tokenFile !== undefined) return await fromTokenFile(user, { path: tokenFile, token, certificate, ports })
  // As in kubectl, a token at hand spares the plugin.
  if (token !== undefined) return staticCredentials({ token, ...(certificate === undefined ? {} : { certificate }) })
  if (!isSet(user, 'exec')) return staticCredentials(certificate === undefined ? {} : { certificate })
  if (certificate !== undefined) {
    throw new KubeconfigError(`${user.place}: has both exec and a client certificate; keep one`)
  }
  const { processes, clock, environment } = ports
  return execCredentials({ config: parseExecConfig(user), cluster, environment, processes, clock })
}

async function clientCertificate(user: KubeconfigEntry, files: FileReader): Promise<ClientCertificate | undefined> {
  const certificate = await pemField(user, 'client-certificate', { kind: 'certificate', files })
  const key = await pemField(user, 'client-key', { kind: 'private key', files })
  if (certificate === undefined && key === undefined) return undefined
  if (key === undefined) throw new KubeconfigError(`${user.place}: has a client-certificate but no client-key`)
  if (certificate === undefined) throw new KubeconfigError(`${user.place}: has a client-key but no client-certificate`)
  return { certificate, key }
}

async function fromTokenFile(
  user: KubeconfigEntry,
  found: { path: string; token: string | undefined; certificate: ClientCertificate | undefined; ports: UserPorts },
): Promise<Credentials> {
  const credentials = tokenFileCredentials({
    path: resolve(user.folder, found.path),
    files: found.ports.files,
    clock: found.ports.clock,
    place: user.place,
    ...(found.token === undefined ? {} : { initialToken: found.token }),
    ...(found.certificate === undefined ? {} : { certificate: found.certificate }),
  })
  // Read now: a start without a token should stop here, with the file's name.
  await credentials.current()
  return credentials
}
