import { openStoredServingCertificate } from '../admission/stored-serving-certificate.ts'
import { isInCluster, loadInCluster } from '../kube/in-cluster.ts'
import { systemFiles, type FileReader } from '../kube/system-files.ts'
import { InstallationError } from '../manager/apply.ts'
import { missingParts } from '../manager/install.ts'
import { listenerServing, serviceAddress, serviceNames } from '../manager/listener-serving.ts'
import type { WebhookServing } from '../manager/webhook-serving.ts'
import { systemClock } from '../runtime/system.ts'
import { closing, connectTo, openTransport } from './connection.ts'
import { openLog, runManager, signalOf, type ProcessOptions } from './lifeboat-process.ts'
import type { World } from './program.ts'
import { adminClient } from './run.ts'

export interface ControllerOptions extends ProcessOptions {
  readonly service: string
  /** That of the pod if not given. */
  readonly namespace?: string
}

/** What a pod finds around it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly files: FileReader
}

const ofThisProcess: Surroundings = { environment: process.env, files: systemFiles }

/** `lifeboat controller`: one of several replicas within the cluster that they look after. */
export async function controller(
  world: World,
  options: ControllerOptions,
  surroundings: Surroundings = ofThisProcess,
): Promise<void> {
  if (!isInCluster(surroundings.environment)) {
    throw new InstallationError('this is not a pod; for a cluster reached from outside: lifeboat run --kubeconfig FILE')
  }
  const log = openLog(options)
  const interrupted = signalOf(world)
  const access = await loadInCluster({ ...surroundings, clock: systemClock })
  await using connection = await connectTo(access, interrupted)
  const { transport } = connection
  await using urgentTransport = closing(openTransport(access))
  const namespace = options.namespace ?? access.namespace
  const kube = adminClient(transport)
  const missing = await missingParts({ kube, clock: systemClock, signal: interrupted }, namespace)
  if (missing.length > 0) {
    throw new InstallationError(`not installed: ${missing.join(', ')}; apply what is in deploy/ first`)
  }
  const webhooks: WebhookServing = {
    // Not before there is something to serve: with the gate off the Secret is not touched.
    open: async (handlers) =>
      listenerServing({
        certificate: await openStoredServingCertificate(
          { kube, clock: systemClock, log, namespace, names: serviceNames(namespace, options.service) },
          interrupted,
        ),
        address: serviceAddress(namespace, options.service),
        host: '0.0.0.0',
        port: options.webhookPort,
        clock: systemClock,
      }).open(handlers),
  }
  const registrar = { transport, rights: 'updateOnly' } as const
  const about = `on Kubernetes ${connection.serverVersion}`
  const places = { transport, urgentTransport, registrar, webhooks, namespace, log, about }
  await runManager(world, options, places, interrupted)
}
