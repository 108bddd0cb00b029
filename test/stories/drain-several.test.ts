import { severalScenarios } from '../scenarios/drain-several.ts'
import { tellCommandStory } from './tell-command-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('drain-several', severalScenarios, tellCommandStory)
