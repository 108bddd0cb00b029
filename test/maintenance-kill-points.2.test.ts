import { testKilledMaintenances } from './build/killed-maintenances.ts'

// In two files, so that two cores have something to do.

testKilledMaintenances([
  'a node that an admin cordoned before stays cordoned after Drain and Complete',
  '"(Idle) -> Complete: Make a set of nodes schedulable", unless another maintenance holds them',
  'a node that loses the label gets its pods back and is schedulable, and starts anew when it gets the label again',
])
