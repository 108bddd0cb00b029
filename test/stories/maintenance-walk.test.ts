import { progressionScenarios } from '../scenarios/maintenance-progression.ts'
import { walkScenarios } from '../scenarios/maintenance-walk.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-walk', [...walkScenarios, ...progressionScenarios], runMaintenanceScenario)
