import { unhealthyNodeScenarios } from '../scenarios/unhealthy-nodes.ts'
import { tellUnhealthyStory } from './tell-unhealthy-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('unhealthy-nodes', unhealthyNodeScenarios, tellUnhealthyStory)
