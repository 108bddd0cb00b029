import type { Lease } from '../../api/kubernetes/coordination.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { unlessForbidden } from '../../kube/client/errors.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { follow, type Following } from '../view/follow.ts'

/** Whether a Lifeboat acts, all the time that a command looks. */
export interface FollowedLeader extends AsyncDisposable {
  /** One line, while none does. */
  trouble(): string | undefined
}

/** One that leads renews its Lease every other second; another may take over after 15 s, and needs a moment. */
const silentForMs = 25_000

const nobodyLeads = `No Lifeboat is at work; see kubectl -n ${installation.namespace} get pods`

/** Goes by when renewals are seen, not by what they say: clocks of machines differ. Who may not look is told nothing. */
export async function followLeader(parts: InformerParts, signal: AbortSignal): Promise<FollowedLeader> {
  const { clock } = parts
  const followed = await followLease(parts, signal)
  let seenMs = clock.monotonicMs()
  followed?.informer.subscribe(({ kind, object }) => {
    if (kind !== 'deleted' && (object.spec?.holderIdentity ?? '') !== '') seenMs = clock.monotonicMs()
  })
  return {
    trouble: () => {
      // With the API server away this is unknown.
      if (followed?.trouble() !== undefined) seenMs = clock.monotonicMs()
      return followed !== undefined && clock.monotonicMs() - seenMs > silentForMs ? nobodyLeads : undefined
    },
    [Symbol.asyncDispose]: async () => followed?.[Symbol.asyncDispose](),
  }
}

async function followLease(parts: InformerParts, signal: AbortSignal): Promise<Following<Lease> | undefined> {
  const selection = { fieldSelector: `metadata.name=${installation.lease}` }
  const within = { ...selection, namespace: installation.namespace }
  const usual = await unlessForbidden(follow(parts, { resource: leases, selection: within, signal }))
  if (usual !== undefined && usual.informer.list().length > 0) return usual
  // It may have been installed into another namespace.
  const any = await unlessForbidden(follow(parts, { resource: leases, selection, signal }))
  if (any === undefined) return usual
  await usual?.[Symbol.asyncDispose]()
  return any
}
