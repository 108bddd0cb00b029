import { stageScenarios } from '../scenarios/maintenance-stages.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-stages', stageScenarios, runMaintenanceScenario)
