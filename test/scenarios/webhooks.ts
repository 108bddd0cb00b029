import type { AdmissionScenario } from './admission-world.ts'

export const webhookScenarios: readonly AdmissionScenario[] = []
