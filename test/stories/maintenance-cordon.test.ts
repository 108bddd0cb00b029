import { cordonScenarios } from '../scenarios/maintenance-cordon.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-cordon', cordonScenarios, runMaintenanceScenario)
