import { lapsingIntents } from '../scenarios/lapsing-intents.ts'
import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('evacuation-waits', lapsingIntents, runEvacuationScenario)
