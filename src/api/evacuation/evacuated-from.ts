import type { Evacuation } from './evacuation.ts'
import type { Pod } from '../kubernetes/core.ts'
import { annotations } from '../names.ts'

/** What an Evacuation says about where its pod is, so that readers need not look up the pod for it. */
export function noteOfNode({ spec }: Pod): Record<string, string> {
  const node = spec?.nodeName
  return node === undefined ? {} : { [annotations.evacuatedFrom]: node }
}

/** Undefined for one that was created while Lifeboat could not look at its pod. */
export function nodeOfEvacuation({ metadata }: Evacuation): string | undefined {
  return metadata.annotations?.[annotations.evacuatedFrom]
}
