import type { AccessAttributes, Authorizer } from '../authorization.ts'
import type { User } from '../request.ts'
import type { Store, Stored } from '../store.ts'
import { allows, type Rule } from './rule.ts'

const group = 'rbac.authorization.k8s.io'
const resources = {
  roles: `roles.${group}`,
  clusterRoles: `clusterroles.${group}`,
  bindings: `rolebindings.${group}`,
  clusterBindings: `clusterrolebindings.${group}`,
}

/** Members of this group may do everything, whatever roles say. */
export const administrators = 'system:masters'

interface Binding {
  readonly metadata: Stored['metadata']
  readonly roleRef?: { readonly kind?: string; readonly name?: string }
  readonly subjects?: readonly Subject[]
}

interface Subject {
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

interface Grant {
  /** Undefined: everywhere. */
  readonly namespace: string | undefined
  readonly rules: readonly Rule[]
  readonly reason: string
}

/** Rights as the roles and bindings in the store give them. They are read once, and again when one of them changes. */
export class RoleBasedAuthorizer implements Authorizer {
  readonly #store: Pick<Store, 'list' | 'get' | 'subscribe'>
  /** By `User/NAME` and `Group/NAME`; undefined when something changed. */
  #grants: Map<string, Grant[]> | undefined

  constructor(store: Pick<Store, 'list' | 'get' | 'subscribe'>) {
    this.#store = store
    for (const resource of Object.values(resources)) store.subscribe(() => (this.#grants = undefined), resource)
  }

  authorize(attributes: AccessAttributes): { readonly allowed: boolean; readonly reason: string } {
    if (attributes.user.groups.includes(administrators)) return { allowed: true, reason: '' }
    for (const grant of this.#grantsOf(attributes.user, attributes.namespace)) {
      if (grant.rules.some((rule) => allows(rule, attributes))) return { allowed: true, reason: grant.reason }
    }
    return { allowed: false, reason: '' }
  }

  /** Everything that roles let a user do in a namespace. */
  rulesOf(user: User, namespace: string): Rule[] {
    return [...this.#grantsOf(user, namespace)].flatMap(({ rules }) => rules)
  }

  *#grantsOf(user: User, namespace: string | undefined): Generator<Grant, void, void> {
    this.#grants ??= this.#readGrants()
    const keys = [`User/${user.name}`, ...user.groups.map((name) => `Group/${name}`)]
    for (const key of keys) {
      for (const grant of this.#grants.get(key) ?? []) {
        if (grant.namespace === undefined || grant.namespace === namespace) yield grant
      }
    }
  }

  #readGrants(): Map<string, Grant[]> {
    const grants = new Map<string, Grant[]>()
    const bindings = [...this.#store.list(resources.clusterBindings), ...this.#store.list(resources.bindings)]
    for (const binding of bindings as readonly Stored[] as readonly Binding[]) {
      const rules = this.#rulesOf(binding)
      for (const subject of binding.subjects ?? []) {
        const { namespace } = binding.metadata
        const key = keyOf(subject, namespace)
        if (key === undefined) continue
        const grant = { namespace, rules, reason: reasonOf(binding, subject) }
        grants.set(key, [...(grants.get(key) ?? []), grant])
      }
    }
    return grants
  }

  #rulesOf({ roleRef, metadata }: Binding): readonly Rule[] {
    if (roleRef?.name === undefined) return []
    const role =
      roleRef.kind === 'ClusterRole'
        ? this.#store.get(resources.clusterRoles, roleRef.name)
        : this.#store.get(resources.roles, `${metadata.namespace}/${roleRef.name}`)
    return (role?.['rules'] ?? []) as readonly Rule[]
  }
}

/** A service account is a user with a long name. */
function keyOf({ kind, name, namespace }: Subject, bindingNamespace: string | undefined): string | undefined {
  if (name === undefined) return undefined
  return kind === 'ServiceAccount'
    ? `User/system:serviceaccount:${namespace ?? bindingNamespace}:${name}`
    : `${kind}/${name}`
}

function reasonOf({ metadata, roleRef }: Binding, subject: Subject): string {
  const { name, namespace } = metadata
  const binding = namespace === undefined ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`
  const whom = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name
  return `RBAC: allowed by ${binding} of ${roleRef?.kind} "${roleRef?.name}" to ${subject.kind} "${whom}"`
}
