import { autoscalerRestarts, autoscalerScenarios } from '../scenarios/autoscaler-evacuation.ts'
import { tellDeploymentStory } from './tell-deployment-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('autoscaler-evacuation', [...autoscalerScenarios, ...autoscalerRestarts], tellDeploymentStory)
