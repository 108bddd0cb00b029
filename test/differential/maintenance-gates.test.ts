import { gateScenarios } from '../scenarios/maintenance-gates.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('gates', gateScenarios)
