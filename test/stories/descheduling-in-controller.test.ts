import { leadingScenarios } from '../scenarios/descheduling-in-controller.ts'
import { tellLeadingStory } from './tell-leading-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('descheduling-in-controller', leadingScenarios, tellLeadingStory)
