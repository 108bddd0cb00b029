import { filterScenarios } from '../scenarios/descheduling-filter.ts'
import { orderScenarios } from '../scenarios/descheduling-order.ts'
import { virtualMachineScenarios } from '../scenarios/descheduling-virtual-machines.ts'
import { deschedulingScenarios } from '../scenarios/descheduling.ts'
import { tellDeschedulingStory } from './tell-descheduling-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

const scenarios = [...deschedulingScenarios, ...orderScenarios, ...filterScenarios, ...virtualMachineScenarios]

tellWithLifeboat('descheduling', scenarios, tellDeschedulingStory)
