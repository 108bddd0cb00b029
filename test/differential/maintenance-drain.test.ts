import { drainScenarios } from '../scenarios/maintenance-drain.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('drain', drainScenarios)
