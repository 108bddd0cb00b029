import { deletionScenarios } from '../scenarios/evacuation-deletion.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('evacuation-deletion', deletionScenarios, runMaintenanceScenario)
