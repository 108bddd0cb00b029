import { forgedAnnotationScenarios } from '../scenarios/forged-annotations.ts'
import { compareMaintenances } from './maintenance-grounds.ts'

compareMaintenances('forged-annotations', forgedAnnotationScenarios)
