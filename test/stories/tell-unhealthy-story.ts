import { startPodDiary } from '../scenarios/pod-diary.ts'
import { runEvacuationScenario, started } from '../scenarios/run-evacuation-scenario.ts'
import type { AloneScenario } from '../scenarios/unhealthy-nodes-alone.ts'
import type { UnhealthyScenario } from '../scenarios/unhealthy-nodes.ts'
import type { SwitchedGround } from './lifeboat-grounds.ts'

/** Tells one story about nodes that do not report to one ground and returns what it observed. */
export function tellUnhealthyStory(
  { name, run }: UnhealthyScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  const told = {
    name,
    run: async (world: Parameters<Parameters<typeof runEvacuationScenario>[0]['run']>[0]) => {
      const diary = await started(
        ground,
        startPodDiary(ground.transport, namespace, () => ground.nowMs()),
      )
      try {
        await run({ ...world, diary })
      } finally {
        await diary.stop()
      }
    },
  }
  return runEvacuationScenario(told, ground, namespace)
}

/** The same for a story that has Lifeboat for itself. */
export function tellAloneStory(
  { name, run }: AloneScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  const { lifeboat } = ground
  return tellUnhealthyStory({ name, run: (world) => run({ ...world, lifeboat }) }, ground, namespace)
}
