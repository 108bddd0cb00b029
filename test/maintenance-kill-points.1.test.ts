import { testKilledMaintenances } from './build/killed-maintenances.ts'

// In two files, so that two cores have something to do.

testKilledMaintenances([
  'deleted "without all of its pods terminating" it lets its pods and nodes go first',
  'Complete in the middle: evacuations that allow it are cancelled, those under Forbid and of another instigator go on',
  'two maintenances on a node, both in Drain, and the older one ends first',
])
