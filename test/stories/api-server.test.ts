import { evictionScenarios } from '../scenarios/eviction.ts'
import { objectScenarios } from '../scenarios/objects.ts'
import { patchScenarios } from '../scenarios/patches.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import { embeddedApiServer, realApiServer } from './grounds.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  stories: { evictions: evictionScenarios, patches: patchScenarios, objects: objectScenarios },
  grounds: { embedded: async () => embeddedApiServer(), real: realApiServer },
  tell: runScenario,
})
