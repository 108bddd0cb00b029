import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { unknownOwnerScenarios } from '../scenarios/unknown-owners.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('unknown-owners', unknownOwnerScenarios, runEvacuationScenario)
