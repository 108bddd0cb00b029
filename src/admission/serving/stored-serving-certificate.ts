import type { Secret } from '../../api/kubernetes/core.ts'
import type { New } from '../../api/kubernetes/meta.ts'
import { secrets } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import { acceptedSecrets, renderPathSecrets, secretInUse } from './path-secret.ts'
import { waited, type ServingCertificate } from './serving-certificate.ts'
import {
  authoritiesOf,
  caBundleOf,
  decideRenewal,
  makeMaterial,
  nextRenewalMs,
  parseMaterial,
  renewMaterial,
  type ServingMaterial,
  type ServingNames,
} from './serving-material.ts'
import { managedByLifeboat } from '../../api/names.ts'

export const certificateSecretName = 'lifeboat-webhook-certificate'

/** Beside the keys that a Secret of this type always has. */
const pathSecretsKey = 'webhook-path'

export interface StoredCertificateOptions {
  readonly kube: Pick<Kube, 'get' | 'create' | 'replace'>
  readonly clock: Clock
  readonly log: Log
  readonly namespace: string
  readonly names: ServingNames
}

const limits = {
  /**
   * How soon a replica notices what another one renewed; far below the hour that a new authority or path secret gets
   * to be known.
   */
  lookMs: 5 * 60 * 1_000,
  attemptsMax: 5,
}

/**
 * The one that all replicas share, in a Secret of Lifeboat's namespace. The first replica makes it; the API server
 * sees to it that there is only one first, for its making and for each renewal.
 */
export async function openStoredServingCertificate(
  options: StoredCertificateOptions,
  signal?: AbortSignal,
): Promise<ServingCertificate> {
  const { clock, log } = options
  let material = await upToDate(options, signal)
  return {
    serving: () => material.serving,
    caBundle: () => caBundleOf(material),
    pathSecret: () => secretInUse(material.pathSecrets, clock.nowMs()),
    acceptedPathSecrets: () => acceptedSecrets(material.pathSecrets, clock.nowMs()),
    keepFresh: async (until, changed) => {
      while (await waited(clock, Math.min(nextRenewalMs(material) - clock.nowMs(), limits.lookMs), until)) {
        try {
          const found = await upToDate(options, until)
          if (JSON.stringify(found) === JSON.stringify(material)) continue
          material = found
          changed()
        } catch (error) {
          if (until.aborted) return
          log.warn({ err: error, secret: certificateSecretName }, 'could not look after the webhook certificate')
        }
      }
    },
  }
}

/** What the Secret holds, made or renewed first if need be. */
async function upToDate(options: StoredCertificateOptions, signal?: AbortSignal): Promise<ServingMaterial> {
  const { kube, clock, log, namespace, names } = options
  for (let attempts = 1; ; attempts++) {
    const secret = await find(options, signal)
    const material = secret === undefined ? undefined : materialIn(secret)
    const renewal = material === undefined ? 'everything' : decideRenewal(material, names, clock.nowMs())
    if (material !== undefined && renewal === 'none') return material
    const next =
      material === undefined || renewal === 'none'
        ? makeMaterial(names, clock.nowMs())
        : renewMaterial(material, names, renewal, clock.nowMs())
    try {
      if (secret === undefined) await kube.create(secrets, buildSecret(namespace, next), { signal })
      else await kube.replace(secrets, { ...secret, data: renderMaterial(next) }, { signal })
      log.info({ secret: certificateSecretName, renewal }, 'renewed the webhook certificate')
      return next
    } catch (error) {
      // Another replica was faster: what it wrote counts.
      if (!isKubeError(error, 'alreadyExists', 'conflict', 'notFound') || attempts >= limits.attemptsMax) throw error
    }
  }
}

async function find({ kube, namespace }: StoredCertificateOptions, signal?: AbortSignal): Promise<Secret | undefined> {
  return unlessNotFound(kube.get(secrets, { namespace, name: certificateSecretName }, { signal }))
}

function buildSecret(namespace: string, material: ServingMaterial): New<Secret> {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: certificateSecretName, labels: { ...managedByLifeboat } },
    type: 'kubernetes.io/tls',
    data: renderMaterial(material),
  }
}

function renderMaterial(material: ServingMaterial): Record<string, string> {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return {
    'ca.crt': base64(authoritiesOf(material)),
    'ca.key': base64(material.authority.key),
    'tls.crt': base64(material.serving.certificate),
    'tls.key': base64(material.serving.key),
    [pathSecretsKey]: base64(renderPathSecrets(material.pathSecrets)),
  }
}

function materialIn({ data = {} }: Secret): ServingMaterial | undefined {
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8')
  return parseMaterial({
    authorities: text('ca.crt'),
    authorityKey: text('ca.key'),
    certificate: text('tls.crt'),
    key: text('tls.key'),
    pathSecrets: text(pathSecretsKey),
  })
}
