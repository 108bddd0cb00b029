import { cancellationAfterForbid } from '../scenarios/cancellation-after-forbid.ts'
import { deletedPods } from '../scenarios/deleted-pods.ts'
import { lapsingIntents } from '../scenarios/lapsing-intents.ts'
import { refusedEvictions } from '../scenarios/refused-evictions.ts'
import { roomInBudgets } from '../scenarios/room-in-budgets.ts'
import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat(
  'evacuation-waits',
  [...lapsingIntents, ...refusedEvictions, ...deletedPods, ...roomInBudgets, ...cancellationAfterForbid],
  runEvacuationScenario,
)
