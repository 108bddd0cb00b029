import { cordonScenarios } from '../scenarios/maintenance-cordon.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('cordon', cordonScenarios)
