import type { PodView } from '../view.ts'

/** `lifeboat.maxPercentPerOwner`: not all pods of an owner at once, whatever their nodes and namespaces allow. */
export class OwnerShare {
  readonly #maxPercent: number | undefined
  readonly #countOfOwner: (uid: string) => number
  /** As it was when the first of them was looked at. */
  readonly #pods = new Map<string, number>()
  readonly #leaving = new Map<string, number>()

  /** `leaving`: those that were so before the cycle. */
  constructor(
    maxPercent: number | undefined,
    state: { countOfOwner(uid: string): number },
    leaving: readonly PodView[],
  ) {
    this.#maxPercent = maxPercent
    this.#countOfOwner = (uid) => state.countOfOwner(uid)
    for (const pod of leaving) this.add(pod)
  }

  /** To be called before the pod is taken out of the count. */
  add({ template }: PodView): void {
    for (const { uid } of template.owners) {
      this.#countAll(uid)
      this.#leaving.set(uid, (this.#leaving.get(uid) ?? 0) + 1)
    }
  }

  /** Why one more of its owner's pods would be too many; undefined: it would not be. */
  refusalFor({ template }: PodView): string | undefined {
    const maxPercent = this.#maxPercent
    if (maxPercent === undefined) return undefined
    for (const { kind, name, uid } of template.owners) {
      const all = this.#countAll(uid)
      const leaving = this.#leaving.get(uid) ?? 0
      // One may always leave, or the pods of a small owner never would.
      if (leaving + 1 > Math.max(1, Math.floor((all * maxPercent) / 100)))
        return `${leaving} of ${all} pods of ${kind} ${name} are leaving: maxPercentPerOwner is ${maxPercent}`
    }
    return undefined
  }

  #countAll(uid: string): number {
    const known = this.#pods.get(uid)
    if (known !== undefined) return known
    const count = this.#countOfOwner(uid)
    this.#pods.set(uid, count)
    return count
  }
}
