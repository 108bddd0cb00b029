import { customResourceDefinitions } from '../../src/api/schema/custom-resource-definitions.ts'
import type { ResourceDefinition } from '../../src/embedded/server/definition.ts'
import { customResources } from '../../src/embedded/server/kinds/custom-resource.ts'
import type { AnyObject } from '../../src/embedded/server/store.ts'

/** Lifeboat's kinds, for an embedded API server on which nothing establishes them. */
export function ownKinds(): readonly ResourceDefinition[] {
  return customResourceDefinitions().flatMap((definition) => customResources(definition as object as AnyObject))
}
