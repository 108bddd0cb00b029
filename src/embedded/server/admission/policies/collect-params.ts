import { matchesLabelSelector } from '../../../../api/kubernetes/label-selector.ts'
import { resourceId, type ResourceDefinition } from '../../definition.ts'
import type { Definitions } from '../../definitions.ts'
import { isMissing } from '../../identity.ts'
import { keyOf, type Store, type Stored } from '../../store.ts'
import type { ParamKind, ParamRef } from './policy.ts'

export interface ParamParts {
  readonly store: Pick<Store, 'get' | 'list'>
  readonly definitions: Pick<Definitions, 'all'>
}

export type Params =
  /** The policy is evaluated once with each; undefined: it takes none, or the binding gives none. */
  | { readonly kind: 'params'; readonly params: readonly (Stored | undefined)[] }
  /** In the words of the real server. */
  | { readonly kind: 'misconfigured'; readonly message: string }

/** The kind that a policy takes its parameters from. Undefined: the server does not know it. */
export function findParamKind(
  { apiVersion = '', kind = '' }: ParamKind,
  { definitions }: ParamParts,
): ResourceDefinition | undefined {
  return definitions.all().find((definition) => {
    const { group, version } = definition
    return definition.kind === kind && apiVersion === (group === '' ? version : `${group}/${version}`)
  })
}

export function collectParams(
  definition: ResourceDefinition | undefined,
  reference: ParamRef | undefined,
  namespace: string | undefined,
  parts: ParamParts,
): Params {
  if (definition === undefined || reference === undefined) return { kind: 'params', params: [undefined] }
  const { namespace: wanted } = reference
  if (!definition.namespaced && !isMissing(wanted))
    return misconfigured('paramRef.namespace must not be provided for a cluster-scoped `paramKind`')
  const within = !definition.namespaced ? undefined : isMissing(wanted) ? namespace : wanted
  if (definition.namespaced && within === undefined)
    return misconfigured('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources')
  const params = findParams(resourceId(definition), reference, within, parts)
  if (params.length === 0 && reference.parameterNotFoundAction === 'Deny')
    return misconfigured('no params found for policy binding with `Deny` parameterNotFoundAction')
  return { kind: 'params', params }
}

function findParams(
  resource: string,
  { name, selector }: ParamRef,
  namespace: string | undefined,
  { store }: ParamParts,
): Stored[] {
  if (isMissing(name))
    return store
      .list(resource, namespace)
      .filter(({ metadata }) => matchesLabelSelector(selector ?? {}, metadata.labels))
  const found = store.get(resource, keyOf({ name, namespace }))
  return found === undefined ? [] : [found]
}

function misconfigured(message: string): Params {
  return { kind: 'misconfigured', message }
}
