import { evacuationDeletionScenarios } from '../scenarios/evacuation-deletion.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('evacuation-deletion', evacuationDeletionScenarios)
