import { labels } from '../names.ts'
import type { Evacuation } from './evacuation.ts'

// Evacuations whose pods are gone are deleted together. By this label the API server finds them.

export const finishedMark = { [labels.finished]: 'true' }
export const finishedSelector = `${labels.finished}=true`

/** It is only to be deleted. What is being deleted already does not count. */
export function isMarkedFinished({ metadata }: Evacuation): boolean {
  return metadata.deletionTimestamp === undefined && metadata.labels?.[labels.finished] === 'true'
}

/** What an Evacuation takes over of the labels of its pod. */
export function withoutMark(podLabels: Readonly<Record<string, string>>): Record<string, string> {
  const { [labels.finished]: _, ...others } = podLabels
  return others
}
