import { openStoredServingCertificate } from '../../admission/serving/stored-serving-certificate.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import { isInCluster, loadInCluster } from '../../kube/auth/in-cluster.ts'
import { systemFiles, type FileReader } from '../../kube/auth/system-files.ts'
import { InstallationError, type ApplyParts } from '../../manager/install/apply.ts'
import { missingParts } from '../../manager/install/install.ts'
import { listenerServing, serviceAddress, serviceNames } from '../../manager/run/listener-serving.ts'
import type { DeschedulingSettings } from '../../manager/descheduling/descheduling-controller.ts'
import type { WebhookServing } from '../../manager/run/webhook-serving.ts'
import { everyAddress } from '../../runtime/listen.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { systemClock } from '../../runtime/system.ts'
import { closing, connectTo, openTransport } from '../connect/connection.ts'
import { listening } from '../connect/listening.ts'
import { systemOfDescheduler } from './descheduler-process.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { openLog, runManager, signalOf, type ProcessOptions } from './lifeboat-process.ts'
import type { World } from '../program.ts'
import { adminClient } from './run.ts'
import { version } from '../version.ts'

export interface ControllerOptions extends ProcessOptions {
  readonly service: string
  /** That of the pod if not given. */
  readonly namespace?: string
  /** The descheduler runs here, too, if given. */
  readonly deschedulerPolicy?: string
  readonly deschedulingInterval: number
  /** 0: requests are never taken back. */
  readonly maxEvacuationRequestTtl: number
}

/** What a pod finds around it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly files: FileReader
  /** How long the other parts of an installation, which are being put in at the same time, are waited for. */
  readonly installedWithinMs: number
}

const lookEveryMs = 500
const ofThisProcess: Surroundings = { environment: process.env, files: systemFiles, installedWithinMs: 30_000 }

/** A pod is up before the last objects of its installation are: ending at once would mean a long pause until the next try. */
async function untilInstalled(
  parts: ApplyParts,
  {
    namespace,
    gates,
    withinMs,
  }: { readonly namespace: string; readonly gates: FeatureGates; readonly withinMs: number },
): Promise<void> {
  let missing: readonly string[] = []
  const isInstalled = await lookUntil({ ...parts, withinMs, everyMs: lookEveryMs }, async () => {
    missing = await missingParts(parts, namespace, gates)
    return missing.length === 0 ? true : undefined
  })
  if (isInstalled !== undefined) return
  throw new InstallationError(`not installed: ${missing.join(', ')}; apply deploy/lifeboat.yaml first`)
}

/** `lifeboat controller`: one of several replicas within the cluster that they look after. */
export async function controller(
  world: World,
  options: ControllerOptions,
  surroundings: Surroundings = ofThisProcess,
): Promise<void> {
  if (!isInCluster(surroundings.environment)) {
    throw new InstallationError('this is not a pod; for a cluster reached from outside: lifeboat run --kubeconfig FILE')
  }
  const descheduling = deschedulingOf(options, surroundings.files)
  const log = openLog(options)
  log.info({ version }, 'Lifeboat starts')
  const interrupted = signalOf(world)
  const access = await loadInCluster({ ...surroundings, clock: systemClock })
  await using connection = await connectTo(access, interrupted)
  const { transport } = connection
  await using urgentTransport = closing(openTransport(access))
  const namespace = options.namespace ?? access.namespace
  const kube = adminClient(transport)
  await untilInstalled(
    { kube, clock: systemClock, signal: interrupted },
    { namespace, gates: options.featureGates, withinMs: surroundings.installedWithinMs },
  )
  const webhooks: WebhookServing = {
    // Not before there is something to serve: with the gate off the Secret is not touched.
    open: async (handlers) => {
      const certificate = await openStoredServingCertificate(
        { kube, clock: systemClock, log, namespace, names: serviceNames(namespace, options.service) },
        interrupted,
      )
      const address = serviceAddress(namespace, options.service)
      const at = { host: everyAddress, port: options.webhookPort }
      const serving = listenerServing({ certificate, address, ...at, clock: systemClock })
      return await listening('--webhook-port', at, serving.open(handlers))
    },
  }
  const registrar = { transport, rights: 'updateOnly' } as const
  const about = `on Kubernetes ${connection.serverVersion}`
  const readyWhen = 'reachable' as const
  const places = {
    transport,
    urgentTransport,
    registrar,
    webhooks,
    namespace,
    log,
    about,
    readyWhen,
    ...(descheduling === undefined ? {} : { descheduling }),
  }
  await runManager(world, options, places, interrupted)
}

/** What is wrong within the policy file is told while the controller runs: drains must not end because of it. */
function deschedulingOf(options: ControllerOptions, files: FileReader): DeschedulingSettings | undefined {
  const { deschedulerPolicy, featureGates, deschedulingInterval: intervalMs, maxEvacuationRequestTtl: ttlMs } = options
  if (deschedulerPolicy === undefined) return undefined
  if (!featureGates.EvacuationAPI) {
    throw new CommandError('--descheduler-policy is given, and the feature gate EvacuationAPI is off', {
      advice: 'It asks for Evacuations: switch the gate on, or leave the policy out.',
      exitCode: exitCodes.usage,
    })
  }
  return {
    ...systemOfDescheduler,
    readPolicy: () => files.readText(deschedulerPolicy),
    intervalMs,
    requestTtlMs: ttlMs === 0 ? undefined : ttlMs,
  }
}
