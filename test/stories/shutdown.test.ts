import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { shutdownScenarios } from '../scenarios/shutdown.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('shutdown', shutdownScenarios, runMaintenanceScenario)
