import { meddlingScenarios } from '../scenarios/maintenance-meddling.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('meddling', meddlingScenarios)
