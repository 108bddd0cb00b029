import { whyForbiddenScenarios } from '../scenarios/why-forbidden.ts'
import { tellCommandStory } from './tell-command-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('why-forbidden', whyForbiddenScenarios, tellCommandStory)
