import type { Evacuator } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'

/** Which built-in evacuators claim a pod. Whoever assembles Lifeboat knows them; admission does not. */
export type Claims = (pod: DeepReadonly<Pod>) => Promise<readonly Evacuator[]> | readonly Evacuator[]
