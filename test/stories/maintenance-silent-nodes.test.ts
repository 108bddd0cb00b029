import { silentNodeScenarios } from '../scenarios/maintenance-silent-nodes.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-silent-nodes', silentNodeScenarios, runMaintenanceScenario)
