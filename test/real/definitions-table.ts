import { drainPlanRows, nodeMaintenanceStatusRows } from './drain-plan-rows.ts'
import { evacuationCreationRows } from './evacuation-rows.ts'
import { evacuationUpdateRows } from './evacuation-update-rows.ts'
import { nodeMaintenanceRows } from './node-maintenance-rows.ts'

/** Held to the API server by crds.test.ts, and to our own validation by the tests beside it. */
export const evacuationRows = [...evacuationCreationRows, ...evacuationUpdateRows]
export const maintenanceRows = [...nodeMaintenanceRows, ...drainPlanRows, ...nodeMaintenanceStatusRows]
