import type { Clock } from '../../runtime/clock.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { tokenFileCredentials } from './credentials.ts'
import { fileProblem, KubeconfigError } from './kubeconfig-error.ts'
import type { FileReader } from './system-files.ts'

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly files: FileReader
  readonly clock: Clock
}

/** Where the kubelet mounts a pod's service account. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount'
const place = 'in-cluster service account'

export function isInCluster(environment: Readonly<Record<string, string | undefined>>): boolean {
  return (environment['KUBERNETES_SERVICE_HOST'] ?? '') !== ''
}

/** Access as the service account of the pod we run in. */
export async function loadInCluster(options: InClusterOptions): Promise<ClusterAccess> {
  const { files, clock } = options
  const credentials = tokenFileCredentials({ path: `${serviceAccountFolder}/token`, files, clock, place })
  // Read now: a start without a token should stop here, with the file's name.
  await credentials.current()
  return {
    server: serverOf(options.environment),
    namespace: await namespaceFrom(files),
    tls: { certificateAuthority: await certificateAuthorityFrom(files), insecureSkipVerify: false },
    credentials,
  }
}

function serverOf(environment: InClusterOptions['environment']): string {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? ''
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? ''
  if (!/^\d{1,5}$/u.test(port)) {
    throw new KubeconfigError(`${place}: KUBERNETES_SERVICE_HOST is set, but KUBERNETES_SERVICE_PORT is not a port`)
  }
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function certificateAuthorityFrom(files: FileReader): Promise<string> {
  const path = `${serviceAccountFolder}/ca.crt`
  const text = await readMounted(files, path)
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new KubeconfigError(`${place}: ${path} does not hold a PEM certificate`)
}

async function namespaceFrom(files: FileReader): Promise<string> {
  const namespace = (await readMounted(files, `${serviceAccountFolder}/namespace`)).trim()
  return namespace === '' ? 'default' : namespace
}

async function readMounted(files: FileReader, path: string): Promise<string> {
  try {
    return await files.readText(path)
  } catch (error) {
    throw new KubeconfigError(`${place}: ${path} ${fileProblem(error)}`, { cause: error })
  }
}
