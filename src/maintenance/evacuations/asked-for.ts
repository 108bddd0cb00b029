import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import { instigators } from '../../api/names.ts'

export function isAskedByMaintenance({ metadata }: Evacuation): boolean {
  return metadata.finalizers?.includes(instigatorFinalizer(instigators.nodeMaintenance)) ?? false
}

/** Asked for and not deleted: one that is being deleted moves no pod any more. */
export function isUnderWay(evacuation: Evacuation | undefined): boolean {
  return evacuation !== undefined && isAskedByMaintenance(evacuation) && !isEnding(evacuation)
}

/** It goes as soon as all who hold it let go, and only then can there be another one. */
export function isEnding(evacuation: Evacuation | undefined): boolean {
  return evacuation?.metadata.deletionTimestamp !== undefined
}
