import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import { keyOf, type Stored, readAs } from '../../server/store.ts'
import { againAt } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { recordEvent } from '../event-record.ts'
import type { Node, Pod } from '../objects.ts'
import { ignoring } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { getObject } from '../typed-store.ts'
import { decideStaticPod, type RunningStaticPod, type StaticPodView } from './decide-static-pod.ts'
import { isSilent } from '../../node-labels.ts'
import { buildMirrorPod, isMirror, mirroredHash, parseStaticPods, seenOf } from './static-pods.ts'

/** A mirror that was refused is tried again as often as a kubelet looks after its pods. */
const refusedRetryMs = 60_000
const refusals = ['AlreadyExists', 'NotFound', 'Conflict', 'Forbidden', 'Invalid', 'BadRequest']

/** Runs what a node's manifests say. The API only mirrors it: deleting a mirror ends nothing. */
export class StaticPodKeeper {
  readonly #parts: ControllerParts
  readonly #podsOn: (nodeName: string) => readonly Pod[]
  /** By namespace and name of the mirror. */
  readonly #running = new Map<string, RunningStaticPod>()

  constructor(parts: ControllerParts, podsOn: (nodeName: string) => readonly Pod[]) {
    this.#parts = parts
    this.#podsOn = podsOn
  }

  /** Which node to look after when a pod goes, if it was a mirror. */
  mirrorGone(object: Stored): string[] {
    const pod = readAs<Pod>(object)
    const nodeName = pod.spec?.nodeName
    if (nodeName === undefined || !isMirror(pod)) return []
    const key = keyOf(object.metadata)
    const running = this.#running.get(key)
    const isSame = running !== undefined && running.hash === mirroredHash(pod)
    if (isSame && pod.status !== undefined) this.#running.set(key, { ...running, status: pod.status })
    return [nodeName]
  }

  /** What a new mirror shows of a pod that ran before it. */
  statusOf(pod: Pod): object | undefined {
    const running = this.#running.get(keyOf(pod.metadata))
    const isSame = running !== undefined && isMirror(pod) && running.hash === mirroredHash(pod)
    return isSame && running.status?.phase === 'Running' ? running.status : undefined
  }

  async reconcileNode(nodeName: string): Promise<Next> {
    const node = getObject(this.#parts.store, 'nodes', nodeName)
    if (node === undefined) {
      for (const key of this.#runningOn(nodeName)) this.#running.delete(key)
      return againAt()
    }
    if (isSilent(node)) return againAt()
    const parsed = parseStaticPods(node)
    if (parsed.kind === 'invalid') {
      await this.#tellInvalid(node, parsed.message)
      return againAt()
    }
    const wanted = new Map(parsed.pods.map((pod) => [keyOf(pod), pod]))
    const mirrors = new Map(
      this.#podsOn(nodeName)
        .filter(isMirror)
        .map((pod) => [keyOf(pod.metadata), pod]),
    )
    const keys = new Set([...wanted.keys(), ...mirrors.keys(), ...this.#runningOn(nodeName)])
    const againMs: (number | undefined)[] = []
    for (const key of [...keys].toSorted()) {
      const view = { wanted: wanted.get(key), running: this.#running.get(key), mirror: mirrors.get(key) }
      againMs.push(await this.#step(key, node, view))
    }
    return againAt(...againMs)
  }

  /** When to look again. */
  async #step(key: string, node: Node, view: StaticPodView): Promise<number | undefined> {
    const nowMs = this.#parts.clock.nowMs()
    const { mirror, running } = view
    const step = decideStaticPod(view, nowMs)
    switch (step.kind) {
      case 'nothing':
        this.#remember(key, node, view)
        return undefined
      case 'wait':
        return step.untilMs
      case 'stop':
        this.#running.set(key, { ...this.#remember(key, node, view), endsAtMs: step.endsAtMs })
        return await this.#step(key, node, { ...view, running: this.#running.get(key) })
      case 'removeMirror':
        if (mirror !== undefined) await this.#removeMirror(mirror)
        // Without it the pod is forgotten; that it went wakes us.
        return undefined
      case 'forget':
        this.#running.delete(key)
        return view.wanted === undefined ? undefined : await this.#step(key, node, { ...view, running: undefined })
      case 'showMirror': {
        const { seen } = running ?? this.#remember(key, node, view)
        if (view.wanted === undefined) return undefined
        const mirrored = this.#parts.api.create('pods', buildMirrorPod(view.wanted, node, seen))
        return (await ignoring(refusals, mirrored)) === undefined ? nowMs + refusedRetryMs : undefined
      }
      default:
        return step satisfies never
    }
  }

  #remember(key: string, { metadata }: Node, { wanted, mirror }: StaticPodView): RunningStaticPod {
    const known = this.#running.get(key)
    if (known !== undefined) return known
    const hash = (mirror === undefined ? undefined : mirroredHash(mirror)) ?? wanted?.hash ?? ''
    const seen = (mirror === undefined ? undefined : seenOf(mirror)) ?? timestamp(this.#parts.clock.nowMs())
    const running = { nodeName: metadata.name, hash, seen }
    this.#running.set(key, running)
    return running
  }

  async #removeMirror({ metadata }: Pod): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } }
    await ignoring(['NotFound', 'Conflict'], this.#parts.api.delete('pods', nameOf(metadata), options))
  }

  async #tellInvalid({ metadata }: Node, fault: string): Promise<void> {
    const message = `Static pods cannot be read: ${fault}`
    const event = { type: 'Warning', reason: 'InvalidStaticPods', message, component: 'kubelet' } as const
    await recordEvent(this.#parts, { apiVersion: 'v1', kind: 'Node', metadata }, event)
  }

  #runningOn(nodeName: string): string[] {
    return [...this.#running].filter(([, running]) => running.nodeName === nodeName).map(([key]) => key)
  }
}
