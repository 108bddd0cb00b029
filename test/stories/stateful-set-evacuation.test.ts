import { statefulSetScenarios } from '../scenarios/stateful-set-evacuation.ts'
import { tellDeploymentStory } from './tell-deployment-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('stateful-sets', statefulSetScenarios, tellDeploymentStory)
