import { ownCluster } from '../real/own-cluster.ts'
import { autoscalerScenarios } from '../scenarios/autoscalers.ts'
import { budgetScenarios } from '../scenarios/budgets.ts'
import { customResourceScenarios } from '../scenarios/custom-resources.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import { workloadScenarios } from '../scenarios/workloads.ts'
import { embeddedCluster, realCluster } from './grounds.ts'
import { tellStories } from './tell-stories.ts'

// One after the other: objects without a namespace have names that the stories share.
const customResources = customResourceScenarios.map(({ name, run }) => ({ name, run, ownCluster: true as const }))

tellStories({
  stories: {
    budgets: budgetScenarios,
    workloads: workloadScenarios,
    autoscalers: autoscalerScenarios,
    'our-own-kinds': customResources,
  },
  grounds: { embedded: embeddedCluster, real: () => realCluster(ownCluster()) },
  tell: runScenario,
})
