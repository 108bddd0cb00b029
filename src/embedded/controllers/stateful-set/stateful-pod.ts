import type { New } from '../../../api/kubernetes/meta.ts'
import { buildPod } from '../build-pod.ts'
import type { Pod, PodTemplate, StatefulSet } from '../objects.ts'
import { controllerReference } from '../ownership.ts'
import { revisionLabel } from '../revisions.ts'

export const statefulSetKind = { apiVersion: 'apps/v1', kind: 'StatefulSet' }

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

/** The number at the end of a pod's name; undefined if it is not one of the set's. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`
  const { name } = pod.metadata
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : ''
  return /^(0|[1-9][0-9]*)$/.test(digits) ? Number(digits) : undefined
}

export function revisionOfPod({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? ''
}

export interface Revision {
  /** Also the value of the label. */
  readonly name: string
  readonly template: PodTemplate
}

/** A pod with a name, a host name and claims of its own, that it keeps when it is made again. */
export function buildStatefulPod(set: StatefulSet, ordinal: number, revision: Revision): New<Pod> {
  const { template } = revision
  const name = podName(set, ordinal)
  const claims = (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) => metadata?.name ?? [])
  const volumes = [
    ...(template.spec?.volumes ?? []).filter((volume) => !claims.includes(volume.name)),
    ...claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } })),
  ]
  const spec = {
    ...template.spec,
    hostname: name,
    subdomain: set.spec?.serviceName ?? '',
    ...(volumes.length === 0 ? {} : { volumes }),
  }
  return buildPod(
    { ...template, spec },
    {
      namespace: set.metadata.namespace,
      name,
      owner: controllerReference(statefulSetKind, set.metadata),
      labels: {
        'statefulset.kubernetes.io/pod-name': name,
        'apps.kubernetes.io/pod-index': String(ordinal),
        [revisionLabel]: revision.name,
      },
    },
  )
}
