import { progressionScenarios } from '../scenarios/maintenance-progression.ts'
import { walkScenarios } from '../scenarios/maintenance-walk.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('walk', walkScenarios)
compareMaintenances('progression', progressionScenarios)
