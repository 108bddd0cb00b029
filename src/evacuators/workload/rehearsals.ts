import type { KubernetesObject, New, Unnamed } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { rehearseCreation, type Rehearsal } from '../../kube/client/rehearsal.ts'
import type { Clock } from '../../runtime/clock.ts'

/** A node that is drained changes every few seconds, and each change makes its evacuators look again. */
const freshMs = 10_000

/** What dry runs said, each remembered for a moment, by the Evacuation that it was asked for. */
export class Rehearsals {
  readonly #kube: Kube
  readonly #clock: Clock
  readonly #answers = new Map<string, { readonly atMs: number; readonly answer: Rehearsal<KubernetesObject> }>()

  constructor({ kube, clock }: { readonly kube: Kube; readonly clock: Clock }) {
    this.#kube = kube
    this.#clock = clock
  }

  async create<T extends KubernetesObject>(
    id: string,
    resource: Resource<T>,
    object: New<T> | Unnamed<T>,
    signal: AbortSignal,
  ): Promise<Rehearsal<T>> {
    const known = this.#answers.get(id)
    if (known !== undefined && this.#clock.monotonicMs() - known.atMs < freshMs) return known.answer as Rehearsal<T>
    const answer = await rehearseCreation(this.#kube, resource, object, signal)
    this.#answers.set(id, { atMs: this.#clock.monotonicMs(), answer })
    return answer
  }

  forget(id: string): void {
    this.#answers.delete(id)
  }
}
