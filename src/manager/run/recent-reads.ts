import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { CallOptions, ListOptions } from '../../kube/client/call-options.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import type { Clock } from '../../runtime/clock.ts'

type Reads = Pick<Kube, 'get' | 'list'>
type Answer = { readonly promise: Promise<unknown>; readonly untilMs: number }

/** More than the owners of the pods of a node have kinds and names. */
const answersMax = 2_000

/**
 * Answers from what was read a moment ago: the pods of a drain have few owners, and each of them is asked about once
 * and not once a pod. For decisions that may be that old.
 */
export function recentReads(kube: Reads, clock: Clock, freshMs: number): Reads {
  const answers = new Map<string, Answer>()
  const remember = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const nowMs = clock.monotonicMs()
    const known = answers.get(key)
    if (known !== undefined && known.untilMs > nowMs) return known.promise as Promise<T>
    if (answers.size >= answersMax) answers.clear()
    const promise = read()
    const answer = { promise, untilMs: nowMs + freshMs }
    answers.set(key, answer)
    // The next one may fare better, above all if this one was cancelled.
    promise.catch(() => {
      if (answers.get(key) === answer) answers.delete(key)
    })
    return promise
  }
  return {
    get: <T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey, options?: CallOptions) =>
      remember(`get ${nameOf(resource)} ${key.namespace ?? ''} ${key.name}`, () => kube.get(resource, key, options)),
    list: <T extends KubernetesObject>(resource: Resource<T>, options?: ListOptions) => {
      const { namespace, labelSelector, fieldSelector } = options ?? {}
      const which = [namespace, labelSelector, fieldSelector].join(' ')
      return remember(`list ${nameOf(resource)} ${which}`, () => kube.list(resource, options))
    },
  }
}

function nameOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${plural}.${group}`
}
