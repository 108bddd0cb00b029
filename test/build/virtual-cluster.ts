import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import type { WebhookCaller } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'

/** An embedded cluster without nodes in virtual time. */
export async function openVirtualCluster(
  options: { readonly webhookCaller?: WebhookCaller } = {},
): Promise<{ readonly clock: VirtualClock; readonly cluster: EmbeddedCluster }> {
  const clock = new VirtualClock()
  const parts = { clock, random: seededRandom(1), log: silentLog, admission: builtInAdmission }
  const opening = openEmbeddedCluster({ ...parts, nodes: 0, ...options })
  await clock.advance(0)
  return { clock, cluster: await opening }
}
