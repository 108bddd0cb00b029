import { policyWith, seeCycle, type DeschedulingScenario, type DeschedulingWorld } from './descheduling-world.ts'
import { FakeKubeVirt } from './fake-kubevirt.ts'
import { podsPath } from './lifeboat-world.ts'
import { arrangeNodes } from './workload-world.ts'

// Evictions in the background, as KubeVirt answers them: no Evacuation is made, all that is known is a promise.

const evicting = { mode: 'evict' } as const

/** Machines are to leave the first node, and may stay on the second. One of the namespace at a time. */
async function arrangeScene(world: DeschedulingWorld): Promise<FakeKubeVirt> {
  const taints = [{ key: 'old-hardware', effect: 'NoSchedule' }]
  await arrangeNodes(world, 2, (at) => (at === 0 ? { taints } : {}))
  return FakeKubeVirt.install(world)
}

function oneAtATime(world: DeschedulingWorld): object {
  const deschedule = { RemovePodsViolatingNodeTaints: { namespaces: { include: [world.namespace] } } }
  return policyWith(world, { story: { deschedule } }, { maxNoOfPodsToEvictPerNamespace: 1 })
}

async function observeNodes(world: DeschedulingWorld): Promise<void> {
  const { body } = await world.read(podsPath)
  const pods = body['items'] as {
    metadata: { name: string }
    spec: { nodeName: string }
    status: { phase: string }
  }[]
  const running = pods.filter(({ status }) => status.phase === 'Running')
  world.observe('where machines run', Object.fromEntries(running.map((pod) => [pod.metadata.name, pod.spec.nodeName])))
}

export const virtualMachineScenarios: readonly DeschedulingScenario[] = [
  {
    name: 'EvacuationInBackground: virtual machines of KubeVirt move one at a time, process after process',
    run: async (world) => {
      const kubeVirt = await arrangeScene(world)
      for (const name of ['a', 'b', 'c']) await kubeVirt.createMachine(name)
      const policy = oneAtATime(world)
      const first = await world.startDescheduler(policy, evicting)
      await seeCycle(world, 'the first is promised', first)
      await seeCycle(world, 'its promise counts', first)
      world.observe('answers', kubeVirt.takeAnswers())
      await seeCycle(world, 'also for the next process', await world.startDescheduler(policy, evicting))
      world.observe('answers', kubeVirt.takeAnswers())
      await world.arrange('DELETE', '/api/v1/namespaces/NS/configmaps/lifeboat-descheduler')
      const second = await world.startDescheduler(policy, evicting)
      await seeCycle(world, 'a process that knows of no promise gets the same one', second)
      world.observe('answers', kubeVirt.takeAnswers())
      await kubeVirt.markPod('a')
      await seeCycle(world, 'a mark is seen by every process', await world.startDescheduler(policy, evicting))
      world.observe('answers', kubeVirt.takeAnswers())
      await kubeVirt.finishMigration('a')
      const third = await world.startDescheduler(policy, evicting)
      await seeCycle(world, 'it has moved, the next goes', third)
      await kubeVirt.markPod('b')
      await third.sees('virt-launcher-b-1', 'marked')
      await seeCycle(world, 'it counts', third)
      await kubeVirt.cancelMigration('b')
      await third.sees('virt-launcher-b-1', 'unmarked')
      await seeCycle(world, 'it was cancelled, and is asked again', third)
      await kubeVirt.markPod('b')
      await kubeVirt.finishMigration('b')
      await seeCycle(world, 'the last goes', await world.startDescheduler(policy, evicting))
      await kubeVirt.finishMigration('c')
      await seeCycle(world, 'nothing is left to do', await world.startDescheduler(policy, evicting))
      world.observe('answers', kubeVirt.takeAnswers())
      world.observe('at most so many on the move at a time', kubeVirt.mostOnTheMove)
      await observeNodes(world)
    },
  },
  {
    name: 'EvacuationInBackground: a virtual machine that cannot move is refused, and takes no place',
    run: async (world) => {
      const kubeVirt = await arrangeScene(world)
      await kubeVirt.createMachine('a', { isMigratable: false })
      for (const name of ['b', 'c']) await kubeVirt.createMachine(name)
      const policy = oneAtATime(world)
      await seeCycle(world, 'another one goes', await world.startDescheduler(policy, evicting))
      await kubeVirt.markPod('b')
      await seeCycle(world, 'and no more', await world.startDescheduler(policy, evicting))
      world.observe('answers', kubeVirt.takeAnswers())
      world.observe('at most so many on the move at a time', kubeVirt.mostOnTheMove)
    },
  },
]
