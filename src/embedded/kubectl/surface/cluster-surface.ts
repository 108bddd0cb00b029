import type { ResourceDefinition } from '../../server/definition.ts'
import type { Definitions } from '../../server/definitions.ts'
import { methodNotAllowed } from '../../server/failure.ts'
import type { ApiAnswer, ApiRequest } from '../../server/request.ts'
import type { Store } from '../../server/store.ts'
import { aggregatedDiscovery, aggregatedMediaType, wantsAggregated } from './aggregated-discovery.ts'
import { coreVersions, groupDocument, groupList, resourceList } from './discovery.ts'
import { openApiDocument, openApiIndex, schemaOfDefinition } from './open-api.ts'
import { eventPresenter, present } from './present.ts'
import type { OpenWatch, ReadBody, Surface } from './surface.ts'
import { serverVersion } from './version.ts'

const crdResource = 'customresourcedefinitions.apiextensions.k8s.io'

export interface SurfaceParts {
  readonly definitions: Definitions
  readonly store: Pick<Store, 'get' | 'revision'>
  readonly clock: { nowMs(): number }
}

/** What a client finds out about the server, and the shapes in which it gets objects. */
export class ClusterSurface implements Surface {
  readonly #parts: SurfaceParts

  constructor(parts: SurfaceParts) {
    this.#parts = parts
  }

  answer(request: ApiRequest): ApiAnswer | undefined {
    const segments = request.path.split('/').filter((segment) => segment !== '')
    const answer = this.#route(segments, request)
    if (answer !== undefined && request.method !== 'GET') throw methodNotAllowed()
    return answer
  }

  present(request: ApiRequest, definition: ResourceDefinition, body: ReadBody): unknown {
    return present(request, definition, body, this.#parts.clock.nowMs())
  }

  presentWatch(request: ApiRequest, definition: ResourceDefinition, open: OpenWatch): OpenWatch {
    const map = eventPresenter(request, definition, this.#parts.clock)
    if (map === undefined) return open
    return (sink) => open({ event: (event) => sink.event(map(event)), close: () => sink.close() })
  }

  #route([root, first, second, third]: readonly string[], request: ApiRequest): ApiAnswer | undefined {
    switch (root ?? '') {
      case 'version':
        return first === undefined ? ok(serverVersion) : undefined
      case 'healthz':
      case 'livez':
      case 'readyz':
        return first === undefined || first === 'ping' ? ok('ok') : undefined
      case 'api':
        return second === undefined ? this.#core(first, request) : undefined
      case 'apis':
        return third === undefined ? this.#groups(first, second, request) : undefined
      case 'openapi':
        return first === 'v3' ? this.#openApi(request) : undefined
      default:
        return undefined
    }
  }

  #core(version: string | undefined, { headers }: ApiRequest): ApiAnswer | undefined {
    const definitions = this.#parts.definitions.all()
    if (version !== undefined) return okIfAny(resourceList(definitions, { group: '', version }))
    return wantsAggregated(headers['accept']) ? aggregated(aggregatedDiscovery(definitions, 'api')) : ok(coreVersions())
  }

  #groups(group: string | undefined, version: string | undefined, { headers }: ApiRequest): ApiAnswer | undefined {
    const definitions = this.#parts.definitions.all()
    if (group === undefined) {
      return wantsAggregated(headers['accept'])
        ? aggregated(aggregatedDiscovery(definitions, 'apis'))
        : ok(groupList(definitions))
    }
    return okIfAny(
      version === undefined ? groupDocument(definitions, group) : resourceList(definitions, { group, version }),
    )
  }

  #openApi({ path }: ApiRequest): ApiAnswer | undefined {
    const definitions = this.#parts.definitions.all()
    const [, , root, first, second, ...rest] = path.split('/').filter((segment) => segment !== '')
    if (rest.length > 0) return undefined
    if (root === undefined) return ok(openApiIndex(definitions, String(this.#parts.store.revision)))
    const [group, version] = root === 'api' ? ['', first] : [first, second]
    if (group === undefined || version === undefined) return undefined
    return okIfAny(openApiDocument(definitions, { group, version }, (definition) => this.#schemaOf(definition)))
  }

  #schemaOf({ plural, group, version }: ResourceDefinition): Readonly<Record<string, unknown>> | undefined {
    const crd = this.#parts.store.get(crdResource, `${plural}.${group}`)
    return crd === undefined ? undefined : schemaOfDefinition(crd, version)
  }
}

function ok(body: unknown): ApiAnswer {
  return { kind: 'response', status: 200, body }
}

function okIfAny(body: object | undefined): ApiAnswer | undefined {
  return body === undefined ? undefined : ok(body)
}

function aggregated(body: object): ApiAnswer {
  return { kind: 'response', status: 200, body, headers: { 'content-type': aggregatedMediaType, vary: 'Accept' } }
}
