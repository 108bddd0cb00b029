import type { KubernetesObject, ListMeta } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { selectionQuery, sentOf, type ListOptions } from './call-options.ts'
import { collectionPath } from './paths.ts'
import type { TransportRequest } from './transport.ts'

const pageSizeDefault = 500

/** In which form the objects are asked for: as they are, if left out. */
export type ListShape = Pick<TransportRequest, 'headers' | 'query'>

/** Asks for the metadata of objects instead of all of them. */
export const metadataRequest = {
  headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
} as const satisfies ListShape

/** One page of a list after the other, each asked for when the caller reads it. */
export async function* pagesOf<Page extends { readonly metadata: ListMeta }>(
  send: (request: TransportRequest) => Promise<Page>,
  resource: Resource<KubernetesObject>,
  options: ListOptions,
  shape: ListShape,
): AsyncGenerator<Page, void, void> {
  const query = { ...selectionQuery(options), limit: String(options.pageSize ?? pageSizeDefault), ...shape.query }
  const path = collectionPath(resource, options.namespace)
  let next: string | undefined
  do {
    const asked = next === undefined ? query : { ...query, continue: next }
    const page = await send({ method: 'GET', path, ...shape, query: asked, ...sentOf(options) })
    yield page
    next = page.metadata.continue
  } while (next !== undefined && next !== '')
}
