import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Selection } from '../../kube/client/call-options.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { Log } from '../../runtime/log.ts'

/** Objects that a command follows for as long as it looks. */
export interface Following<T extends KubernetesObject> extends AsyncDisposable {
  readonly informer: Informer<T>
  /** One line, while the cluster cannot be followed. */
  trouble(): string | undefined
}

interface FollowOptions<T extends KubernetesObject> {
  readonly resource: Resource<T>
  readonly selection?: Selection
  /** After each change, and when trouble begins or ends. */
  readonly notice?: () => void
  readonly signal: AbortSignal
}

/** Resolves when all there is has been seen. A missing right, or a kind that is not there, is an error and not waited for. */
export async function follow<T extends KubernetesObject>(
  parts: InformerParts,
  { resource, selection = {}, notice = () => {}, signal }: FollowOptions<T>,
): Promise<Following<T>> {
  // An informer never gives up: what cannot succeed has to be found out before.
  await parts.kube.pages(resource, { ...selection, pageSize: 1, signal }).next()
  let trouble: string | undefined
  const log = noticingLog((message) => {
    trouble = message
    notice()
  })
  const informer = new Informer({ ...parts, log, resource, selection })
  const stop = new AbortController()
  const running = informer.run(AbortSignal.any([signal, stop.signal]))
  informer.subscribe(notice)
  await Promise.race([informer.synced(), running])
  signal.throwIfAborted()
  return {
    informer,
    trouble: () => trouble,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the view was closed'))
      await running
    },
  }
}

/** An informer says with a warning that trouble begins, and with a line that it is over. */
export function noticingLog(heard: (trouble: string | undefined) => void): Log {
  const log: Log = {
    debug: () => {},
    info: () => heard(undefined),
    warn: ({ error }) => heard(`the API server does not answer, trying again (${String(error)})`),
    error: () => {},
    child: () => log,
  }
  return log
}
