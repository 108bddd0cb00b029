import type { Manifest } from '../src/api/kubernetes/meta.ts'
import { deschedulerPolicies } from '../src/manager/install/descheduler-objects.ts'
import {
  buildDeschedulerAccess,
  buildOwnDeschedulingAccess,
  everyPurpose,
  type Purpose,
} from '../src/manager/manifests/descheduler-access.ts'
import type { Role } from '../src/manager/manifests/rbac.ts'
import { anyNamespace, onlyIf, plain, withValues, type Render } from './chart-text.ts'

// The account of the descheduler in the chart, with the rights that the values ask for and no others.

const isWriting = 'not .Values.descheduler.dryRun'
const isPartOfController = 'eq .Values.descheduler.kind "Controller"'
const isEvacuating = `and (${isWriting}) (eq .Values.descheduler.mode "evacuate")`

/** When a right is granted; undefined: always. */
const conditions: Readonly<Record<Purpose, string | undefined>> = {
  look: undefined,
  ask: isWriting,
  evacuate: isEvacuating,
  measure: 'include "lifeboat.deschedulerMeasures" .',
  remember: undefined,
  lead: 'eq .Values.descheduler.kind "Deployment"',
}

/** Where it is a part of the controller, it always writes. */
const conditionsOfController: typeof conditions = {
  ...conditions,
  ask: undefined,
  evacuate: undefined,
  lead: undefined,
}

interface Access {
  readonly build: typeof buildDeschedulerAccess
  readonly conditions: typeof conditions
}

const ofAccount: Access = { build: buildDeschedulerAccess, conditions }
const ofController: Access = { build: buildOwnDeschedulingAccess, conditions: conditionsOfController }

/** The header is under the condition, too: a comment by itself would be a document to Helm. */
export function deschedulerTemplate(render: Render, header = ''): string {
  const all = `{{- if ${isPartOfController} }}\n${grantsOfController(render)}{{- else }}\n${account(render)}{{- end }}\n`
  // In brackets: `helm upgrade --reuse-values` from a chart that did not know it finds no such value.
  return onlyIf('(.Values.descheduler).enabled', header + withValues(all))
}

function grantsOfController(render: Render): string {
  return documents(render, buildOwnDeschedulingAccess(anyNamespace), ofController)
}

function account(render: Render): string {
  const policies = deschedulerPolicies(anyNamespace).map((object) => `${plain(render(object))}---\n`)
  const access = buildDeschedulerAccess(anyNamespace)
  const everywhere = access.filter(({ kind }) => kind !== 'Role' && kind !== 'RoleBinding')
  const within = access.filter((object) => !everywhere.includes(object))
  return (
    onlyIf(isEvacuating, policies.join('')) +
    documents(render, everywhere, ofAccount) +
    // A dry run remembers nothing, and leads nobody.
    onlyIf(isWriting, `---\n${documents(render, within, ofAccount)}`)
  )
}

function documents(render: Render, objects: readonly Manifest[], access: Access): string {
  return objects.map((object) => template(render, object, access)).join('---\n')
}

function template(render: Render, object: Manifest, access: Access): string {
  if (!('rules' in object)) return plain(render(object))
  const rules = everyPurpose.map((purpose) => {
    const text = rulesFor(render, object.kind, access.build(anyNamespace, [purpose]))
    const condition = access.conditions[purpose]
    return text === '' || condition === undefined ? text : onlyIf(condition, text)
  })
  const [head = ''] = plain(render(object)).split(beginOfRules)
  return `${head}${beginOfRules}${rules.join('')}`
}

const beginOfRules = 'rules:\n'

/** The lines of these rules within their role. */
function rulesFor(render: Render, kind: string | undefined, access: readonly Manifest[]): string {
  const role = access.find((object) => object.kind === kind) as unknown as Role
  if (role.rules.length === 0) return ''
  const [, lines = ''] = plain(render(role)).split(beginOfRules)
  return lines
}
