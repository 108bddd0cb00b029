import { idOf } from '../../api/kubernetes/object-id.ts'
import type { Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { keyOf, type Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { CancelResult, Evacuator, StepResult, Turn } from '../evacuator.ts'
import { leaveAsBefore, leaveFirst } from './deletion-cost.ts'
import { Interests } from './interests.ts'
import { KeyedLock } from './keyed-lock.ts'
import { Rehearsals } from './rehearsals.ts'
import { asTerminating } from './pod-state.ts'
import { SharedFollowings, type SharedFollowing } from './shared-followings.ts'
import { registerChange, unregisterChange, type AnnotationChange } from './registration.ts'
import { readerOf, TurnWorld } from './turn-world.ts'
import { newer } from '../../kube/watch/own-writes.ts'
import type { Place, WorkloadCaches } from './workload-caches.ts'
import type {
  AnyWorkloadEvacuator,
  PatchWrite,
  WorkloadCancelStep,
  WorkloadStep,
  WorkloadTurn,
  Write,
} from './workload-evacuator.ts'

export interface WorkloadAdapterOptions {
  readonly evacuator: AnyWorkloadEvacuator
  readonly kube: Kube
  readonly clock: Clock
  /** Shared by all classes. */
  readonly caches: WorkloadCaches
  /** The pod as another part of the process follows it; undefined: it is not followed. */
  readonly peekPod?: (ref: PodRef) => Pod | undefined
}

/** More writes without a word in between are a mistake, or another client writes against us. */
const writesMax = 10
const afterContentionMs = 1_000
const goingShowsWithinMs = 15_000

const terminating = { kind: 'working', message: 'The pod terminates' } as const
const beingPutBack = {
  kind: 'working',
  message: 'An earlier release of the pod is being undone',
  againInMs: afterContentionMs,
} as const

/** Makes a workload evacuator one for the loop: follows what it looks at, carries out what it says. */
export class WorkloadAdapter implements Evacuator {
  readonly evacuatorClass: string
  readonly #options: WorkloadAdapterOptions
  readonly #locks = new KeyedLock()
  readonly #interests = new Interests()
  readonly #rehearsals: Rehearsals
  readonly #followings = new Map<string, readonly SharedFollowing[]>()
  readonly #shared: SharedFollowings
  /** By Evacuation. What follows is by the UID of its pod. */
  readonly #podUids = new Map<string, string>()
  readonly #askedToGoMs = new Map<string, number>()
  readonly #seenPods = new Set<string>()
  /** Gone, or about to be. */
  readonly #leftPods = new Set<string>()

  constructor(options: WorkloadAdapterOptions) {
    this.#options = options
    this.#rehearsals = new Rehearsals(options)
    this.#shared = new SharedFollowings(options.caches)
    this.evacuatorClass = options.evacuator.evacuatorClass
  }

  /** How many Evacuations something is followed for. */
  get size(): number {
    return this.#followings.size
  }

  async step(turn: Turn): Promise<StepResult> {
    return await this.#serially(turn, async (among) => {
      const result = await this.#step(turn)
      return result.kind === 'evict' ? { ...result, among } : result
    })
  }

  async cancel(turn: Turn): Promise<CancelResult> {
    return await this.#serially(turn, () => this.#cancel(turn))
  }

  /**
   * The pod as a cache has it, where there is one; the API server knows about the others. After the evacuator asked for
   * it to go, the API server knows what came of that before any cache does.
   */
  async readPod(ref: PodRef, signal: AbortSignal): Promise<Pod | undefined> {
    const { caches, kube, clock, peekPod } = this.#options
    if (this.hasGone(ref)) return undefined
    const cached = caches.pod(ref) ?? peekPod?.(ref)
    if (cached !== undefined && this.#leftPods.has(ref.uid)) return asTerminating(cached, clock.nowMs())
    if (cached !== undefined && !this.#isExpectedToGo(ref)) return cached
    const fresh = await caches.keep(pods, ref, () => readerOf(kube, signal).get(pods, ref))
    const isThere = fresh !== undefined && fresh.metadata.uid === ref.uid
    if (cached === undefined || (isThere && fresh.metadata.deletionTimestamp === undefined)) return fresh
    this.#leftPods.add(ref.uid)
    return asTerminating(cached, clock.nowMs())
  }

  #isExpectedToGo({ uid }: PodRef): boolean {
    const askedMs = this.#askedToGoMs.get(uid)
    return askedMs !== undefined && this.#options.clock.nowMs() - askedMs <= goingShowsWithinMs
  }

  /** For sure: a cache has shown the pod, and shows it no more. */
  hasGone(ref: PodRef): boolean {
    return this.#seenPods.has(ref.uid) && this.#options.caches.pod(ref) === undefined
  }

  /** Nothing is done about the Evacuation any more. */
  forget(id: string): void {
    for (const shared of this.#followings.get(id) ?? []) this.#shared.letGo(shared)
    this.#followings.delete(id)
    const uid = this.#podUids.get(id) ?? ''
    this.#askedToGoMs.delete(uid)
    this.#seenPods.delete(uid)
    this.#leftPods.delete(uid)
    this.#podUids.delete(id)
    this.#interests.forget(id)
    this.#rehearsals.forget(id)
  }

  /** The Evacuations that look different now. */
  wokenBy(change: Change<KubernetesObject>, place: Place): string[] {
    return this.#interests.wokenBy(change, place)
  }

  [Symbol.dispose](): void {
    for (const id of this.#followings.keys()) this.forget(id)
  }

  async #step(turn: Turn): Promise<StepResult> {
    const { evacuator, caches, clock } = this.#options
    const ref = podRefOf(turn.pod)
    // If an eviction was asked for, it did not come about.
    caches.stays(ref.uid)
    for (let writes = 0; writes < writesMax; writes++) {
      const pod = this.#newestPod(turn)
      if (pod.metadata.deletionTimestamp !== undefined) return terminating
      if (caches.isBeingPutBack(ref.uid)) return beingPutBack
      const registration = this.#registrationOf(turn)
      const register = registration === undefined ? {} : registerChange(pod, registration)
      const result: WorkloadStep = evacuator.step(await this.#gather({ ...turn, pod }), clock.nowMs())
      switch (result.kind) {
        case 'write':
          await this.#write(withAnnotations(result.write, ref, register), turn.signal)
          if (result.write.kind === 'deletePod' && result.write.pod.uid === ref.uid) {
            return result.write.says ?? terminating
          }
          continue
        case 'evict':
          caches.expectToLeave(ref.uid)
          this.#askedToGoMs.set(ref.uid, clock.nowMs())
          return result
        case 'completed':
          return result
        case 'working':
        case 'waiting':
          await this.#annotate(pod, { ...register, ...leaveFirst(pod) }, turn.signal)
          return result
        default:
          return result satisfies never
      }
    }
    return { kind: 'working', message: 'Others change the same objects; trying again', againInMs: afterContentionMs }
  }

  async #cancel(begun: Turn): Promise<CancelResult> {
    const { evacuator, clock, caches, kube } = this.#options
    const done = { kind: 'completed', message: 'Everything was put back' } as const
    // What a step wrote last may not be in any cache, and after this the evacuator does not look any more.
    const ref = podRefOf(begun.pod)
    const fresh = await caches.keep(pods, ref, () => readerOf(kube, begun.signal).get(pods, ref))
    if (fresh?.metadata.uid !== ref.uid) return done
    let latest = fresh
    for (let writes = 0; writes < writesMax; writes++) {
      const turn: Turn = { ...begun, pod: latest }
      const pod = this.#newestPod(turn)
      if (pod.metadata.deletionTimestamp !== undefined) return done
      const unregister = { ...unregisterChange(pod, this.evacuatorClass), ...leaveAsBefore(pod) }
      const view = await this.#gather({ ...turn, pod })
      const result: WorkloadCancelStep = evacuator.cancel?.(view, clock.nowMs()) ?? done
      if (result.kind === 'write') {
        await this.#write(withAnnotations(result.write, podRefOf(pod), unregister), turn.signal)
        if (result.write.kind === 'deletePod' && result.write.pod.uid === pod.metadata.uid) return done
      } else if (result.kind === 'completed' && Object.keys(unregister).length > 0) {
        // Not every class follows pods, so that a cache need not know what was written.
        latest = (await this.#annotate(pod, unregister, turn.signal)) ?? pod
      } else {
        return result
      }
    }
    return { kind: 'working', message: 'Others change the same objects; trying again', againInMs: afterContentionMs }
  }

  async #serially<Result>(turn: Turn, work: (workload: string) => Promise<Result>): Promise<Result> {
    await this.#follow(idOfTurn(turn), turn)
    const world = this.#world(turn)
    const workload = `${world.namespace}/${this.#options.evacuator.workloadOf(this.#newestPod(turn), world)}`
    return await this.#locks.run(workload, turn.signal, () => work(workload))
  }

  async #gather(turn: WorkloadTurn): Promise<unknown> {
    const evictionAskedMs = this.#askedToGoMs.get(podRefOf(turn.pod).uid)
    const view = await this.#options.evacuator.gather(
      { ...turn, ...(evictionAskedMs === undefined ? {} : { evictionAskedMs }) },
      this.#world(turn),
    )
    this.#interests.settle(idOfTurn(turn))
    return view
  }

  #world(turn: WorkloadTurn): TurnWorld {
    const { caches, kube } = this.#options
    const id = idOfTurn(turn)
    return new TurnWorld(podRefOf(turn.pod).namespace, caches, this.#interests.begin(id), {
      read: readerOf(kube, turn.signal),
      rehearse: (resource, object) => this.#rehearsals.create(id, resource, object, turn.signal),
    })
  }

  async #follow(id: string, { pod, signal }: Turn): Promise<void> {
    const { evacuator, caches } = this.#options
    const { namespace } = podRefOf(pod)
    const known = this.#followings.get(id)
    const followings = known ?? evacuator.follows(pod).map((followed) => this.#shared.follow(namespace, followed))
    this.#followings.set(id, followings)
    await unlessAborted(Promise.all(followings.map(({ following }) => following.synced)), signal)
    const ref = podRefOf(pod)
    this.#podUids.set(id, ref.uid)
    if (caches.pod(ref) !== undefined) this.#seenPods.add(ref.uid)
  }

  #registrationOf({ evacuation }: Turn): Registration | undefined {
    return evacuation.spec.evacuators?.find(({ evacuatorClass }) => evacuatorClass === this.evacuatorClass)
  }

  #newestPod({ pod }: Turn): Pod {
    const cached = this.#options.caches.pod(podRefOf(pod))
    if (cached === undefined) return pod
    return newer(pod, cached)
  }

  /** The pod as it is afterwards; undefined: it is gone. */
  async #annotate(object: Pod, annotations: AnnotationChange, signal: AbortSignal): Promise<Pod | undefined> {
    if (Object.keys(annotations).length === 0) return object
    const write = { kind: 'patch', resource: pods, object, change: { metadata: { annotations } } } as const
    return (await this.#write(write, signal)) as Pod | undefined
  }

  async #write(write: Write, signal: AbortSignal): Promise<KubernetesObject | undefined> {
    const { caches, kube, clock } = this.#options
    if (write.kind === 'patch') {
      // Not to be given up half-way when the turn ends: the next turn must know what was written.
      signal.throwIfAborted()
      return await caches.keep(write.resource, keyOf(write.object), () => patchSeen(kube, write))
    }
    try {
      await kube.delete(pods, write.pod, { signal, preconditions: { uid: write.pod.uid } })
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
    }
    caches.expectToLeave(write.pod.uid)
    this.#askedToGoMs.set(write.pod.uid, clock.nowMs())
    return undefined
  }
}

/** The object as it is afterwards, patched or changed by another writer; undefined: it is gone. */
async function patchSeen(kube: Kube, { resource, object, change }: PatchWrite): Promise<KubernetesObject | undefined> {
  const { uid, resourceVersion } = object.metadata
  const body = { ...change, metadata: { ...change.metadata, uid, resourceVersion } }
  try {
    return await kube.patch(resource, keyOf(object), { type: 'merge', body })
  } catch (error) {
    if (!isKubeError(error, 'conflict', 'notFound')) throw error
    return await readerOf(kube).get(resource, keyOf(object))
  }
}

function withAnnotations(write: Write, pod: PodRef, annotations: AnnotationChange): Write {
  if (write.kind !== 'patch' || write.object.metadata.uid !== pod.uid) return write
  const { metadata } = write.change
  const all = { ...annotations, ...metadata?.annotations }
  return { ...write, change: { ...write.change, metadata: { ...metadata, annotations: all } } }
}

function idOfTurn({ evacuation: { metadata } }: Pick<Turn, 'evacuation'>): string {
  return idOf(metadata)
}
