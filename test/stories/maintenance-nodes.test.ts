import { nodeScenarios } from '../scenarios/maintenance-nodes.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-nodes', nodeScenarios, runMaintenanceScenario)
