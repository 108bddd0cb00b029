import type { Standing } from './standing.ts'
import type { ClusterView, PodView } from './view.ts'

/** `lifeboat.maxPercentPerOwner`: not all pods of an owner at once, whatever their nodes and namespaces allow. */
export class OwnerShare {
  readonly #maxPercent: number | undefined
  readonly #pods = new Map<string, number>()
  readonly #leaving = new Map<string, number>()

  constructor(maxPercent: number | undefined, { pods }: Pick<ClusterView, 'pods'>, { leaving }: Standing) {
    this.#maxPercent = maxPercent
    if (maxPercent === undefined) return
    for (const pod of pods) {
      for (const { uid } of pod.template.owners) this.#pods.set(uid, (this.#pods.get(uid) ?? 0) + 1)
      if (leaving.has(pod.uid)) this.add(pod)
    }
  }

  add({ template }: PodView): void {
    for (const { uid } of template.owners) this.#leaving.set(uid, (this.#leaving.get(uid) ?? 0) + 1)
  }

  /** Why one more of its owner's pods would be too many; undefined: it would not be. */
  refusalFor({ template }: PodView): string | undefined {
    const maxPercent = this.#maxPercent
    if (maxPercent === undefined) return undefined
    for (const { kind, name, uid } of template.owners) {
      const all = this.#pods.get(uid) ?? 0
      const leaving = this.#leaving.get(uid) ?? 0
      // One may always leave, or the pods of a small owner never would.
      if (leaving + 1 > Math.max(1, Math.floor((all * maxPercent) / 100)))
        return `${leaving} of ${all} pods of ${kind} ${name} are leaving: maxPercentPerOwner is ${maxPercent}`
    }
    return undefined
  }
}
