import { lapsingIntents } from '../scenarios/lapsing-intents.ts'
import { refusedEvictions } from '../scenarios/refused-evictions.ts'
import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('evacuation-waits', [...lapsingIntents, ...refusedEvictions], runEvacuationScenario)
