import type { ListBody, ReadBody } from './surface.ts'
import type { ResourceDefinition } from '../../server/definition.ts'
import { ApiFailure, badRequest } from '../../server/failure.ts'
import type { ApiRequest } from '../../server/request.ts'
import type { Identified, Stored } from '../../server/store.ts'
import { negotiate, type Representation } from './media-type.ts'
import { partialMetadata, partialMetadataList } from './partial-metadata.ts'
import { tableOf, type TableOptions } from './table.ts'

export interface WatchEvent {
  readonly type: string
  readonly object: unknown
}

/** What is read, in the shape that the Accept header asks for. */
export function present(request: ApiRequest, definition: ResourceDefinition, body: ReadBody, nowMs: number): unknown {
  const representation = representationOf(request)
  switch (representation.shape) {
    case undefined:
      return body.kind === 'list' ? body.list : body.object
    case 'Table':
      return tableOf(definition, contentOf(body), tableOptions(request, representation, nowMs))
    case 'PartialObjectMetadata':
      if (body.kind === 'list') throw notAcceptable()
      return partialMetadata(body.object, representation.shapeVersion)
    case 'PartialObjectMetadataList':
      if (body.kind === 'object') throw notAcceptable()
      return partialMetadataList(body.list, representation.shapeVersion)
    default:
      return representation.shape satisfies never
  }
}

/** What becomes of each event of a watch; undefined: events stay as they are. */
export function eventPresenter(
  request: ApiRequest,
  definition: ResourceDefinition,
  clock: { nowMs(): number },
): ((event: WatchEvent) => WatchEvent) | undefined {
  const representation = representationOf(request)
  const { shape, shapeVersion } = representation
  if (shape === undefined) return undefined
  if (shape !== 'Table') return mapObjects((object) => partialMetadata(object, shapeVersion))
  tableOptions(request, representation, 0)
  let isFirst = true
  return mapObjects((object) => {
    const { resourceVersion } = object.metadata
    const options = tableOptions(request, representation, clock.nowMs())
    const table = tableOf(definition, { items: [object], metadata: { resourceVersion } }, options)
    // The headers would be the same every time.
    const shown = isFirst ? table : { ...table, columnDefinitions: null }
    isFirst = false
    return shown
  })
}

/** An error is a Status in every shape. */
function mapObjects(map: (object: Stored) => unknown): (event: WatchEvent) => WatchEvent {
  return ({ type, object }) => ({ type, object: type === 'ERROR' ? object : map(object as Stored) })
}

function representationOf({ headers }: ApiRequest): Representation {
  const representation = negotiate(headers['accept'])
  if (representation === undefined) throw notAcceptable()
  return representation
}

function contentOf(body: ReadBody): { items: readonly Identified[]; metadata: ListBody['metadata'] } {
  if (body.kind === 'list') return body.list
  const { resourceVersion } = body.object.metadata
  return { items: [body.object], metadata: resourceVersion === undefined ? {} : { resourceVersion } }
}

function tableOptions({ query }: ApiRequest, { shapeVersion }: Representation, nowMs: number): TableOptions {
  const { includeObject = 'Metadata' } = query
  if (includeObject !== 'None' && includeObject !== 'Metadata' && includeObject !== 'Object') {
    throw badRequest(`unrecognized includeObject value: "${includeObject}"`)
  }
  return { version: shapeVersion, includeObject, nowMs }
}

export function notAcceptable(): ApiFailure {
  const message = '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml'
  return new ApiFailure(406, 'NotAcceptable', message, {})
}
