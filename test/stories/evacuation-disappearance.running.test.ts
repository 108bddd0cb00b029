import { disappearancesWhile } from '../scenarios/evacuation-deletion.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('disappearance-running', disappearancesWhile('running'), runMaintenanceScenario)
