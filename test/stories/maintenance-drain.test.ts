import { drainScenarios } from '../scenarios/maintenance-drain.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-drain', drainScenarios, runMaintenanceScenario)
