import { forbidden } from '../failure.ts'
import type { Store, Stored } from '../store.ts'
import type { AdmissionPlugin } from './chain.ts'

/** Of all that a quota can limit only the number of pods: the one that a surge meets. */
const podKeys = ['pods', 'count/pods']

interface Quota {
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly hard?: Readonly<Record<string, string | number>> }
}

export function podQuota(store: Pick<Store, 'list'>): AdmissionPlugin {
  return {
    validate: ({ operation, definition, subresource, namespace, name }) => {
      const concerns =
        operation === 'CREATE' && definition.group === '' && definition.plural === 'pods' && subresource === undefined
      // A dry run is counted too, though it uses nothing up.
      if (!concerns || namespace === undefined) return
      const quotas = store.list('resourcequotas', namespace) as readonly Quota[]
      if (quotas.length === 0) return
      const used = store.list('pods', namespace).filter(counts).length
      for (const { metadata, spec } of quotas) {
        for (const key of podKeys) {
          const hard = spec?.hard?.[key]
          if (hard === undefined || used + 1 <= Number(hard)) continue
          throw forbidden(
            definition,
            name,
            `exceeded quota: ${metadata.name}, requested: ${key}=1, used: ${key}=${used}, limited: ${key}=${hard}`,
          )
        }
      }
    },
  }
}

/** A pod that has ended uses nothing any more. */
function counts(pod: Stored): boolean {
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase
  return phase !== 'Succeeded' && phase !== 'Failed'
}
