import type { AdmissionRequest } from '../../src/embedded/server/admission/admission.ts'
import type { ResourceDefinition } from '../../src/embedded/server/definition.ts'
import { allKinds } from '../../src/embedded/server/kinds/all-kinds.ts'
import type { AnyObject } from '../../src/embedded/server/store.ts'

export function kindOf(plural: string): ResourceDefinition {
  const definition = allKinds.find((kind) => kind.plural === plural)
  if (definition === undefined) throw new Error(`there is no kind ${plural}`)
  return definition
}

/** The creation of a ConfigMap `a` in the namespace `shop`, or whatever is said instead. */
export function buildAdmissionRequest(
  extra: Partial<AdmissionRequest> & { readonly plural?: string } = {},
): AdmissionRequest {
  const { plural = 'configmaps', ...rest } = extra
  const object: AnyObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } }
  return {
    operation: 'CREATE',
    definition: kindOf(plural),
    subresource: undefined,
    namespace: 'shop',
    name: 'a',
    user: { name: 'ann', groups: ['editors'] },
    dryRun: false,
    object,
    oldObject: undefined,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    ...rest,
  }
}
