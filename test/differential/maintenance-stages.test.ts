import { stageScenarios } from '../scenarios/maintenance-stages.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('stages', stageScenarios)
