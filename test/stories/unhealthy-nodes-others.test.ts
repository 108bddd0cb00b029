import { unhealthyAloneScenarios } from '../scenarios/unhealthy-nodes-alone.ts'
import { tellAloneStory } from './tell-unhealthy-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('unhealthy-others', unhealthyAloneScenarios.others, tellAloneStory)
