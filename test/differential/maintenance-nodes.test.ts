import { nodeScenarios } from '../scenarios/maintenance-nodes.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('nodes', nodeScenarios)
