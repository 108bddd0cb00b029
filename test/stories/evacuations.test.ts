import { startCluster } from '../cluster/cluster.ts'
import { evacuationScenarios } from '../scenarios/evacuations.ts'
import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { unsyncedBudget } from '../scenarios/unsynced-budget.ts'
import { openEmbedded, openReal, type SwitchedGround } from './lifeboat-grounds.ts'
import { tellStories, tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('evacuations', evacuationScenarios, runEvacuationScenario)

/** Nobody counts a budget there. */
async function openApiServerAlone(): Promise<SwitchedGround> {
  await using opening = new AsyncDisposableStack()
  const cluster = opening.use(await startCluster({ components: ['etcd', 'kube-apiserver'] }))
  const ground = opening.use(await openReal(cluster))
  const opened = opening.move()
  return { ...ground, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

tellStories({
  stories: { 'without-controllers': [unsyncedBudget] },
  grounds: { embedded: () => openEmbedded({ controllers: false }), real: openApiServerAlone },
  tell: runEvacuationScenario,
})
