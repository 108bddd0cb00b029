import { evictStrategyScenarios } from '../scenarios/evict-strategy-evacuation.ts'
import { tellDeploymentStory } from './tell-deployment-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('evict-strategies', evictStrategyScenarios, tellDeploymentStory)
