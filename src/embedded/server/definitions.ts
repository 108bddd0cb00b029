import { resourceId, type ResourceDefinition } from './definition.ts'

/** The kinds that the server knows now. CRDs come and go. */
export class Definitions {
  readonly #byPath = new Map<string, ResourceDefinition>()
  readonly #byId = new Map<string, ResourceDefinition>()

  constructor(builtIn: readonly ResourceDefinition[]) {
    for (const definition of builtIn) this.add(definition)
  }

  add(definition: ResourceDefinition): void {
    this.#byPath.set(pathOf(definition), definition)
    this.#byId.set(resourceId(definition), definition)
  }

  remove(definition: ResourceDefinition): void {
    this.#byPath.delete(pathOf(definition))
    this.#byId.delete(resourceId(definition))
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }))
  }

  /** By the store's name for it: `deployments.apps`. */
  byId(id: string): ResourceDefinition | undefined {
    return this.#byId.get(id)
  }

  all(): ResourceDefinition[] {
    return [...this.#byPath.values()]
  }
}

function pathOf({
  group,
  version,
  plural,
}: {
  readonly group: string
  readonly version: string
  readonly plural: string
}): string {
  return `${group}/${version}/${plural}`
}
