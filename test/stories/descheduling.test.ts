import { deschedulingScenarios } from '../scenarios/descheduling.ts'
import { tellDeschedulingStory } from './tell-descheduling-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('descheduling', deschedulingScenarios, tellDeschedulingStory)
