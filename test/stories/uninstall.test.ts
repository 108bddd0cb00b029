import { uninstallScenarios } from '../scenarios/uninstall.ts'
import { tellDeploymentStory } from './tell-deployment-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('uninstalled', uninstallScenarios, tellDeploymentStory)
