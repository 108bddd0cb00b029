import { badRequest } from '../failure.ts'
import { type AnyObject, type Identified, readAs } from '../store.ts'
import type { ObjectRequest, ServerParts } from './context.ts'
import { updateObject, type Written } from './write.ts'

interface Scaled {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> }
  }
  readonly status?: { readonly replicas?: number }
}

/** The view of a workload that an autoscaler has. */
export function readScale(object: Identified): Identified {
  const { spec, status } = object as Scaled
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const labels = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, uid, ...definedOnly({ namespace, resourceVersion, creationTimestamp }) },
    spec: { replicas: spec?.replicas ?? 0 },
    status: { replicas: status?.replicas ?? 0, ...(labels.length === 0 ? {} : { selector: labels.join(',') }) },
  }
}

/** Takes the replicas of what `change` makes of the scale, and nothing else. */
export async function writeScale(
  parts: ServerParts,
  target: ObjectRequest,
  change: (scale: Identified) => unknown,
): Promise<Written> {
  const written = await updateObject(parts, { ...target, subresource: undefined }, (old) => {
    const scale = change(readScale(old)) as {
      spec?: { replicas?: unknown }
      metadata?: { resourceVersion?: string }
    }
    const replicas = scale.spec?.replicas ?? 0
    if (typeof replicas !== 'number' || !Number.isInteger(replicas) || replicas < 0) {
      throw badRequest(
        `Scale.autoscaling "${target.name}" is invalid: spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
      )
    }
    const version = scale.metadata?.resourceVersion
    const metadata = { ...old.metadata, ...(version === undefined ? {} : { resourceVersion: version }) }
    return readAs<AnyObject>({ ...old, metadata, spec: { ...(old['spec'] as object), replicas } })
  })
  return { ...written, object: readScale(written.object) }
}

function definedOnly(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
