import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'

/** Which built-in evacuators claim a pod. The manager knows them; admission does not. */
export type Claims = (pod: Pod) => Promise<readonly Evacuator[]> | readonly Evacuator[]
