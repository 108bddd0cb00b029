import { gateScenarios } from '../scenarios/maintenance-gates.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-gates', gateScenarios, runMaintenanceScenario)
