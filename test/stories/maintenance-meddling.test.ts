import { meddlingScenarios } from '../scenarios/maintenance-meddling.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('maintenance-meddling', meddlingScenarios, runMaintenanceScenario)
