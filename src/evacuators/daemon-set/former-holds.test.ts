import { expect, test } from 'vitest'
import { EvacuatorGround } from '../../../test/build/evacuator-ground.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import { EvacuationWriter } from '../../evacuation-client/evacuation-writer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noQueueMetrics } from '../../runtime/work-queue.ts'
import { FormerHolds } from './former-holds.ts'

const others = ['maintenance.example.com', 'deployment.apps.k8s.io']
const held = [...others, 'daemonset.apps.k8s.io']

async function lead(ground: EvacuatorGround) {
  const informer = new Informer({ ...ground.parts, metrics: noKubeMetrics, resource: evacuations })
  const writer = new EvacuationWriter(ground.kube, informer)
  const controller = new FormerHolds({ ...ground.parts, queueMetrics: noQueueMetrics, evacuations: informer, writer })
  const stop = new AbortController()
  const running = [informer.run(stop.signal), controller.follow(stop.signal)]
  await ground.clock.advance(10)
  await controller.synced()
  running.push(controller.lead(stop.signal))
  await ground.clock.advance(50)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await Promise.all(running)
    },
  }
}

async function holders(ground: EvacuatorGround, pod: PodRef): Promise<string[]> {
  const key = { namespace: 'shop', name: evacuationName(pod) }
  const { metadata } = await ground.controller.get(evacuations, key)
  return (metadata.finalizers ?? []).map((finalizer) => finalizer.replace(/^.*instigator_/, ''))
}

test('the DaemonSet evacuator holds no Evacuation any more, neither one from before nor a later one; others still do', async () => {
  const ground = new EvacuatorGround()
  const before = await ground.evacuate('before', { registrations: [], instigators: held })
  await using _leading = await lead(ground)
  const after = await ground.evacuate('after', { registrations: [], instigators: held })
  await ground.clock.advance(50)
  expect(await holders(ground, before)).toEqual(others)
  expect(await holders(ground, after)).toEqual(others)
})

test('an Evacuation that it does not hold is not written', async () => {
  const ground = new EvacuatorGround()
  const pod = await ground.evacuate('web', { registrations: [], instigators: others })
  await using _leading = await lead(ground)
  expect(await holders(ground, pod)).toEqual(others)
  expect(ground.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
})
