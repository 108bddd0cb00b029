import { secrets } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isBearerToken } from '../../kube/auth/credentials.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { serviceAccountFolder } from '../../kube/auth/in-cluster.ts'
import { fileProblem } from '../../kube/auth/kubeconfig-error.ts'
import type { FileReader } from '../../kube/auth/system-files.ts'
import type { PrometheusProvider } from '../policy/policy.ts'
import { PrometheusProblem } from './prometheus-answer.ts'

export interface TokenParts {
  readonly kube: Pick<Kube, 'get'>
  readonly files: FileReader
}

/** Upstream's. */
const secretKey = 'prometheusAuthToken'
const tokenPath = `${serviceAccountFolder}/token`

/** Of the Secret that the policy names, else of the own service account. Throws a PrometheusProblem. */
export async function readPrometheusToken(
  { authToken }: PrometheusProvider,
  { kube, files }: TokenParts,
  signal: AbortSignal,
): Promise<string> {
  return authToken === undefined ? await tokenOfFile(files) : await tokenOfSecret(authToken, kube, signal)
}

async function tokenOfFile(files: FileReader): Promise<string> {
  let text: string
  try {
    text = await files.readText(tokenPath)
  } catch (cause) {
    const what = `the token file ${tokenPath} ${fileProblem(cause)}`
    throw new PrometheusProblem(`${what}; outside of a pod, name a Secret in prometheus.authToken`, { cause })
  }
  return tokenIn(text, `the token file ${tokenPath}`)
}

async function tokenOfSecret(
  key: { readonly namespace: string; readonly name: string },
  kube: Pick<Kube, 'get'>,
  signal: AbortSignal,
): Promise<string> {
  const place = `Secret ${key.namespace}/${key.name}`
  try {
    const { data } = await kube.get(secrets, key, { signal })
    const encoded = data?.[secretKey]
    if (encoded === undefined) throw new PrometheusProblem(`${place} has no key ${secretKey}`)
    return tokenIn(Buffer.from(encoded, 'base64').toString('utf8'), `the key ${secretKey} of ${place}`)
  } catch (cause) {
    signal.throwIfAborted()
    if (!isKubeError(cause)) throw cause
    const why = cause.kind === 'notFound' ? 'does not exist' : `cannot be read: ${cause.message}`
    throw new PrometheusProblem(`${place} ${why}`, { cause })
  }
}

function tokenIn(text: string, place: string): string {
  const token = text.trim()
  if (token === '') throw new PrometheusProblem(`${place} is empty`)
  if (!isBearerToken(token)) throw new PrometheusProblem(`${place} does not hold a bearer token`)
  return token
}
