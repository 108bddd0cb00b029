import type { KubernetesObject, Manifest } from '../../api/kubernetes/meta.ts'
import { configMaps, leases, secrets, type Resource } from '../../api/kubernetes/resources.ts'
import { certificateSecretName } from '../../admission/serving/stored-serving-certificate.ts'
import { formerConfigurations } from '../../admission/serving/webhook-configurations.ts'
import { memoryName } from '../../descheduler/memory-store.ts'
import { releaseHeldPods } from '../../evacuators/daemon-set/release-held-pods.ts'
import { keyOf } from '../../kube/client/client.ts'
import { sleep } from '../../runtime/clock.ts'
import { isOurs, limitsOwnAccount } from '../register/admission-objects.ts'
import { InstallationError, nameOf, readObject, removeObject, type ApplyParts } from './apply.ts'
import { agentObjects } from './agent-objects.ts'
import { deschedulerObjects } from './descheduler-objects.ts'
import { definitions, everyAdmissionObject, installationObjects, workloadObjects } from './install.ts'
import { installation } from './installation-names.ts'
import { resourceOf } from '../manifests/resources.ts'
import { helmReleaseIn, leaderIn } from '../register/presence.ts'
import { probeWebhook } from '../register/probe-webhook.ts'
import { releaseAutoscalers } from '../release/release-autoscalers.ts'
import { releaseNodes } from '../release/release-nodes.ts'
import { releaseShutdowns } from '../release/release-shutdowns.ts'
import { releaseStaticPods, removeMailboxes } from '../release/release-static-pods.ts'
import { releaseEvacuations, releaseMaintenances, releaseReleasedPods, type Released } from '../release/release.ts'
import { stopDescheduler } from './stop-descheduler.ts'
import { stopReplicas } from './stop-replicas.ts'

export interface UninstallOptions {
  readonly namespace: string
  /** Although a Lifeboat still runs, or Helm has the say over what is there. */
  readonly force: boolean
  /** Only lets go of what is held, and of what came into being at run time: Helm removes what it put in. */
  readonly releaseOnly?: boolean
  readonly print: (line: string) => void
}

const limits = { goneWithinMs: 60_000, lookEveryMs: 200 }

/** Takes everything out that Lifeboat put in, what it held first released. False: there was nothing. */
export async function uninstall(parts: ApplyParts, options: UninstallOptions): Promise<boolean> {
  const { namespace, print, releaseOnly = false } = options
  if (!options.force && !releaseOnly) await refuseIfOfHelm(parts, namespace)
  const removal = new Removal(parts, print)
  // The first to end: what it asks for later would not be let go.
  if (await stopDescheduler(parts, namespace)) removal.tell(`stopped the descheduler in namespace ${namespace}`)
  if (await stopReplicas(parts, namespace)) removal.tell(`stopped what ran in namespace ${namespace}`)
  if (!options.force) await refuseWhileRunning(parts, namespace)
  // Without these Lifeboat refuses no user's request, whatever else goes wrong.
  const admission = [...formerConfigurations(), ...everyAdmissionObject(namespace)]
  const [limiting, others] = [
    admission.filter(limitsOwnAccount),
    admission.filter((object) => !limitsOwnAccount(object)),
  ]
  for (const object of others.toReversed()) await removal.remove(resourceOf(object), object)
  await releaseAll(parts, removal)
  await releaseAgents(parts, removal, namespace)
  const [crds, rest] = [definitions(), installationObjects(namespace).slice(definitions().length)]
  if (!releaseOnly) for (const object of crds) await removal.remove(resourceOf(object), object)
  for (const name of [installation.lease, installation.descheduler]) {
    await removal.remove(leases, { metadata: { namespace, name } }, 'byName')
  }
  await removal.remove(configMaps, { metadata: { namespace, name: memoryName } }, 'byName')
  await removal.remove(secrets, { metadata: { namespace, name: certificateSecretName } })
  const workload = workloadObjects().filter(({ kind }) => kind !== 'Namespace')
  const installed = releaseOnly
    ? []
    : [...limiting, ...rest, ...deschedulerObjects(namespace), ...agentObjects(namespace), ...workload]
  for (const object of installed.toReversed()) await removal.remove(resourceOf(object), object)
  await removal.untilGone()
  if (!releaseOnly) await removeMailboxes(parts, namespace)
  // One that still runs may have held another pod before the API server forgot its webhook.
  if (options.force) await releaseHeldPods(parts.kube, parts.signal)
  return removal.count > 0
}

/** An admin who takes it out of Helm's hands leaves a release behind that is not there. */
async function refuseIfOfHelm(parts: ApplyParts, namespace: string): Promise<void> {
  const release = await helmReleaseIn(parts, namespace)
  if (release === undefined) return
  throw new InstallationError(
    `Lifeboat is here as Helm's release ${release}: helm uninstall ${release} --namespace ${namespace}, or use --force`,
  )
}

/** One that waits for the Lease of another that died does not hold it, but it answers. */
async function refuseWhileRunning(parts: ApplyParts, namespace: string): Promise<void> {
  const descheduling = await leaderIn(parts, namespace, installation.descheduler)
  if (descheduling !== undefined) {
    const sign = `${descheduling} holds the Lease ${namespace}/${installation.descheduler}`
    throw new InstallationError(`the descheduler still runs: ${sign}; stop it first, or use --force`)
  }
  const leader = await leaderIn(parts, namespace)
  const isAnswering = async () => (await probeWebhook(parts.kube, namespace, parts.signal)).kind === 'reached'
  if (leader === undefined && !(await isAnswering())) return
  const sign =
    leader === undefined
      ? 'its webhooks answer the API server'
      : `${leader} holds the Lease ${namespace}/${installation.lease}`
  throw new InstallationError(`Lifeboat still runs: ${sign}; stop it first, or use --force`)
}

/** Of kinds, only those that are ours: the same names may be another's definitions. */
async function releaseAll(parts: ApplyParts, removal: Removal): Promise<void> {
  const releases: Readonly<Record<string, (parts: ApplyParts) => Promise<Released>>> = {
    Evacuation: releaseEvacuations,
    NodeMaintenance: releaseMaintenances,
  }
  const counted = (count: number, singular: string) => `${count} ${singular}${count === 1 ? '' : 's'}`
  const autoscalers = await releaseAutoscalers(parts)
  if (autoscalers > 0) removal.tell(`put back minReplicas of ${counted(autoscalers, 'horizontalpodautoscaler')}`)
  const heldPods = await releaseHeldPods(parts.kube, parts.signal)
  if (heldPods > 0) removal.tell(`let ${counted(heldPods, 'DaemonSet pod')} go to the nodes that they were held from`)
  for (const definition of definitions()) {
    const existing = await readObject(parts, resourceOf(definition), keyOf(definition))
    const { names } = definition.spec
    const release = releases[names.kind]
    if (existing === undefined || !isOurs(existing) || release === undefined) continue
    const { objects, held, podsCleared } = await release(parts)
    if (objects > 0) removal.tell(`released and deleted ${objects} ${objects === 1 ? names.singular : names.plural}`)
    if (podsCleared > 0)
      removal.tell(`removed Lifeboat's annotations from ${podsCleared} ${podsCleared === 1 ? 'pod' : 'pods'}`)
    for (const line of held) removal.tell(`waits for a finalizer of others: ${line}`)
  }
  const pods = await releaseReleasedPods(parts)
  if (pods > 0) removal.tell(`gave ${counted(pods, 'released pod')} back to the ReplicaSets that they were of`)
  // Last: while its maintenance is there, a node might still have to be held.
  const nodes = await releaseNodes(parts)
  if (nodes > 0)
    removal.tell(`gave back ${counted(nodes, 'node')} that ${nodes === 1 ? 'was' : 'were'} under maintenance`)
}

/** While the agents are there: only they can put manifests back. */
async function releaseAgents(parts: ApplyParts, removal: Removal, namespace: string): Promise<void> {
  const { released, left } = await releaseStaticPods(parts, namespace)
  if (released > 0) removal.tell(`let ${released} static ${released === 1 ? 'pod' : 'pods'} come back`)
  for (const line of left) removal.tell(line)
  // Last: a machine that goes down before must find its manifests in place when it is back.
  const shutdowns = await releaseShutdowns(parts, namespace)
  if (shutdowns > 0) removal.tell(`let ${shutdowns} ${shutdowns === 1 ? 'shutdown' : 'shutdowns'} continue`)
}

class Removal {
  readonly #parts: ApplyParts
  readonly #print: (line: string) => void
  readonly #going: { readonly resource: Resource<KubernetesObject>; readonly object: KubernetesObject }[] = []
  count = 0

  constructor(parts: ApplyParts, print: (line: string) => void) {
    this.#parts = parts
    this.#print = print
  }

  tell(line: string): void {
    this.count++
    this.#print(line)
  }

  async remove(
    resource: Resource<KubernetesObject>,
    object: Manifest,
    recognized: 'byLabel' | 'byName' = 'byLabel',
  ): Promise<void> {
    const existing = await readObject(this.#parts, resource, keyOf(object))
    if (existing === undefined) return
    if (recognized === 'byLabel' && !isOurs(existing)) {
      this.#print(`left ${nameOf(resource, object)}: it is not labelled as Lifeboat's`)
      return
    }
    if (existing.metadata.deletionTimestamp === undefined) {
      if (!(await removeObject(this.#parts, resource, existing))) return
      this.tell(`removed ${nameOf(resource, object)}`)
    }
    this.#going.push({ resource, object: existing })
  }

  /** A namespace and a definition take a while; without waiting the next install would run into their end. */
  async untilGone(): Promise<void> {
    const { clock, signal } = this.#parts
    const giveUpAtMs = clock.monotonicMs() + limits.goneWithinMs
    for (const { resource, object } of this.#going) {
      while (await this.#isThere(resource, object)) {
        if (clock.monotonicMs() >= giveUpAtMs) {
          this.tell(`${nameOf(resource, object)} is still being deleted: see what its finalizers wait for`)
          break
        }
        await sleep(clock, limits.lookEveryMs, signal)
      }
    }
  }

  async #isThere(resource: Resource<KubernetesObject>, object: KubernetesObject): Promise<boolean> {
    const existing = await readObject(this.#parts, resource, keyOf(object))
    return existing !== undefined && existing.metadata.uid === object.metadata.uid
  }
}
