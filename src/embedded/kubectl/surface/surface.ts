import type { ResourceDefinition } from '../../server/definition.ts'
import type { ApiAnswer, ApiRequest } from '../../server/request.ts'
import type { Identified, Stored } from '../../server/store.ts'

/** What the server shows of itself beside its objects, and in which shape it shows those. */
export interface Surface {
  /** Undefined: there is no such path. */
  answer(request: ApiRequest): ApiAnswer | undefined
  /** Turns what is read into another shape where the Accept header asks for one, as kubectl does for its tables. */
  present(request: ApiRequest, definition: ResourceDefinition, body: ReadBody): unknown
  /** The same for the events of a watch. */
  presentWatch(request: ApiRequest, definition: ResourceDefinition, open: OpenWatch): OpenWatch
}

export type ReadBody =
  | { readonly kind: 'object'; readonly object: Identified }
  | { readonly kind: 'list'; readonly list: ListBody }

export interface ListBody {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: object
  readonly items: readonly Stored[]
}

export type OpenWatch = (ApiAnswer & { readonly kind: 'watch' })['open']
