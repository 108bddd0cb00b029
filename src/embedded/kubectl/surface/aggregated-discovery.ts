import { allVerbs } from '../../server/parse-path.ts'
import type { ResourceDefinition } from '../../server/definition.ts'
import { groupsOf } from './discovery.ts'
import { parseAccept } from './media-type.ts'

// Which kinds there are, in the newer form: two documents for everything, which saves kubectl a request for each group.

const version = 'v2'
export const aggregatedMediaType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

/** Whether the client prefers the newer form to any other. */
export function wantsAggregated(accept: string | undefined): boolean {
  const [first] = parseAccept(accept ?? '')
  return (
    first?.parameters['as'] === 'APIGroupDiscoveryList' &&
    first.parameters['g'] === 'apidiscovery.k8s.io' &&
    first.parameters['v'] === version
  )
}

/** The core group is behind `/api`, all others are behind `/apis`. */
export function aggregatedDiscovery(definitions: readonly ResourceDefinition[], root: 'api' | 'apis'): object {
  const groups = [...groupsOf(definitions)].filter(([group]) => (group === '') === (root === 'api'))
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: [...versions].map(([name, resources]) => ({
        version: name,
        resources: resources.map(describe),
        freshness: 'Current',
      })),
    })),
  }
}

function describe(definition: ResourceDefinition): object {
  const { group, version: own, plural, kind, namespaced, singular, verbs, shortNames, categories } = definition
  const subresources = definition.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
    verbs: subresource.verbs,
  }))
  return {
    resource: plural,
    responseKind: { group, version: own, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbs ?? allVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}
