import type { ListBody } from './surface.ts'
import type { Identified } from '../../server/store.ts'

/** The object without everything but its metadata: enough for collectors and for the rows of a table. */
export function partialMetadata({ metadata }: Identified, version: string): Identified {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata }
}

export function partialMetadataList({ metadata, items }: ListBody, version: string): object {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    items: items.map((item) => partialMetadata(item, version)),
  }
}
