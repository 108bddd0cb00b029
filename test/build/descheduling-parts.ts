import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { systemFiles } from '../../src/kube/auth/system-files.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/system.ts'

/** What a descheduler needs of the system where nothing is measured. */
export const unmeasuredParts = {
  random: systemRandom,
  log: silentLog,
  metrics: noKubeMetrics,
  turn: async () => {},
  get: () => Promise.reject(new Error('nothing is measured')),
  files: systemFiles,
}
