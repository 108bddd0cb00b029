import { pods } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { silentLog } from '../../runtime/log.ts'
import { behaviour, fragile, shop } from './applications.ts'
import type { Stage } from './stage.ts'

/**
 * Plays the registry of one application's image. Its pods say that their image cannot be pulled; as long as the image is
 * there, that is taken off them as soon as they come.
 */
export interface ImageRegistry extends AsyncDisposable {
  loseImage(): void
  bringImageBack(): void
}

export async function openRegistry(stage: Stage): Promise<ImageRegistry> {
  const stop = new AbortController()
  const informer = new Informer({
    kube: stage.kube,
    clock: stage.clock,
    random: stage.random,
    log: silentLog,
    metrics: noKubeMetrics,
    resource: pods,
    selection: { namespace: shop, labelSelector: `app=${fragile}` },
  })
  let hasImage = true
  let working = Promise.resolve()
  const heal = () => {
    if (!hasImage) return
    for (const pod of informer.list()) {
      if (pod.metadata.annotations?.[behaviour.imagePull] === undefined) continue
      const body = { metadata: { uid: pod.metadata.uid, annotations: { [behaviour.imagePull]: null } } }
      working = working
        .then(() => stage.kube.patch(pods, podRefOf(pod), { type: 'merge', body }))
        .then(
          () => undefined,
          (error: unknown) => {
            // It went, or another one has its name: there is nothing to heal.
            if (!isKubeError(error, 'notFound', 'conflict')) throw error
          },
        )
    }
    // Told when it is closed.
    working.catch(() => {})
  }
  informer.subscribe(heal)
  const running = informer.run(stop.signal)
  await informer.synced()
  return {
    loseImage: () => {
      hasImage = false
    },
    bringImageBack: () => {
      hasImage = true
      heal()
    },
    [Symbol.asyncDispose]: async () => {
      hasImage = false
      stop.abort(new Error('the demo is over'))
      await running
      await working
    },
  }
}
