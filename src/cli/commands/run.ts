import { makeServingCertificate } from '../../admission/serving/serving-certificate.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { openClient } from '../../manager/run/clients.ts'
import { install } from '../../manager/install/install.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { hostNames, listenerServing, urlAddress } from '../../manager/run/listener-serving.ts'
import { serviceAccountCredentials } from '../../manager/run/service-account-credentials.ts'
import type { WebhookServing } from '../../manager/run/webhook-serving.ts'
import { everyAddress, renderHost } from '../../runtime/listen.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import {
  closing,
  localAddressTowards,
  openConnection,
  openTransport,
  type ConnectionOptions,
} from '../connect/connection.ts'
import { listening } from '../connect/listening.ts'
import { openLog, runManager, signalOf, type ProcessOptions } from './lifeboat-process.ts'
import type { World } from '../program.ts'
import { version } from '../version.ts'

export interface RunOptions extends ProcessOptions, ConnectionOptions {
  readonly webhookUrl?: URL
}

/** Longer than it takes to take over from one that died: then it is not going to be reached. */
const readyWithinMs = 60_000

/** `lifeboat run`: Lifeboat in this process, for a cluster reached from outside. */
export async function run(world: World, options: RunOptions): Promise<void> {
  const log = openLog(options)
  log.info({ version }, 'Lifeboat starts')
  const interrupted = signalOf(world)
  const { namespace, serviceAccount } = installation
  await using connection = await openConnection(options, interrupted)
  const admin = adminClient(connection.transport)
  await install({ kube: admin, clock: systemClock, signal: interrupted }, namespace)
  const credentials = serviceAccountCredentials({ kube: admin, clock: systemClock, namespace, name: serviceAccount })
  // Now, so that a missing right stops the start here.
  await credentials.current(interrupted)
  await using transport = closing(openTransport({ ...connection.access, credentials }))
  await using urgentTransport = closing(openTransport({ ...connection.access, credentials }))
  const about = `on Kubernetes ${connection.serverVersion} at ${connection.access.server}`
  const registrar = { transport: connection.transport, rights: 'createAndDelete' } as const
  const webhooks = await webhooksAt(connection.access.server, options)
  await runManager(
    world,
    options,
    { transport, urgentTransport, registrar, webhooks, namespace, log, about, readyWithinMs, readyWhen: 'reached' },
    interrupted,
  )
}

export function adminClient(transport: Transport) {
  return openClient({ transport, clock: systemClock, random: systemRandom, metrics: noKubeMetrics })
}

/** With a certificate that lives as long as this process. */
async function webhooksAt(server: string, { webhookUrl, webhookPort }: RunOptions): Promise<WebhookServing> {
  const local = webhookUrl === undefined ? await localAddressTowards(server) : undefined
  const base = webhookUrl ?? new URL(`https://${renderHost(local ?? '')}`)
  // With --webhook-url the API server may come in by any address.
  const at = { host: local ?? everyAddress, port: webhookPort }
  const certificate = makeServingCertificate({ clock: systemClock, names: hostNames(base) })
  const serving = listenerServing({ certificate, address: urlAddress(base), ...at, clock: systemClock })
  return { open: (handlers) => listening('--webhook-port', at, serving.open(handlers)) }
}
