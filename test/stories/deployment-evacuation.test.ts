import { deploymentScenarios } from '../scenarios/deployment-evacuation.ts'
import { tellDeploymentStory } from './tell-deployment-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('deployments', deploymentScenarios, tellDeploymentStory)
