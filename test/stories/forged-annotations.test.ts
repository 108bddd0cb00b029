import { forgedAnnotationScenarios } from '../scenarios/forged-annotations.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('forged-annotations', forgedAnnotationScenarios, runMaintenanceScenario)
