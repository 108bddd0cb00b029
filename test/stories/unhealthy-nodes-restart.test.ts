import { restartScenarios } from '../scenarios/unhealthy-nodes-alone.ts'
import { openEmbedded, openManagedReal } from './lifeboat-grounds.ts'
import { tellStories } from './tell-stories.ts'
import { tellUnhealthyStory } from './tell-unhealthy-story.ts'

tellStories({
  stories: { 'unhealthy-restart': restartScenarios },
  grounds: { embedded: () => openEmbedded(), real: openManagedReal },
  tell: ({ name, run }, ground, namespace) => {
    const restartControllerManager = () => ground.restartControllerManager()
    return tellUnhealthyStory({ name, run: (world) => run({ ...world, restartControllerManager }) }, ground, namespace)
  },
})
