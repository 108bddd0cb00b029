import { deschedulerPolicies } from '../src/manager/descheduler-objects.ts'
import { buildDeschedulerAccess, everyPurpose, type Purpose } from '../src/manager/manifests/descheduler-access.ts'
import type { Role } from '../src/manager/manifests/rbac.ts'
import { anyNamespace, onlyIf, plain, withNamespace, type Manifest, type Render } from './chart-text.ts'

// The account of the descheduler in the chart, with the rights that the values ask for and no others.

const isWriting = 'not .Values.descheduler.dryRun'
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

/** The header is under the condition, too: a comment by itself would be a document to Helm. */
export function deschedulerTemplate(render: Render, header = ''): string {
  const policies = deschedulerPolicies(anyNamespace).map((object) => `${plain(render(object))}---\n`)
  const access = buildDeschedulerAccess(anyNamespace)
  const everywhere = access.filter(({ kind }) => kind !== 'Role' && kind !== 'RoleBinding')
  const within = access.filter((object) => !everywhere.includes(object))
  const documents = (objects: readonly Manifest[]) => objects.map((object) => template(render, object)).join('---\n')
  const all =
    onlyIf(isEvacuating, policies.join('')) +
    documents(everywhere) +
    // A dry run remembers nothing, and leads nobody.
    onlyIf(isWriting, `---\n${documents(within)}`)
  // In brackets: `helm upgrade --reuse-values` from a chart that did not know it finds no such value.
  return onlyIf('(.Values.descheduler).enabled', header + withNamespace(all))
}

function template(render: Render, object: Manifest): string {
  if (!('rules' in object)) return plain(render(object))
  const rules = everyPurpose.map((purpose) => {
    const text = rulesFor(render, object.kind, purpose)
    const condition = conditions[purpose]
    return text === '' || condition === undefined ? text : onlyIf(condition, text)
  })
  const [head = ''] = plain(render(object)).split(beginOfRules)
  return `${head}${beginOfRules}${rules.join('')}`
}

const beginOfRules = 'rules:\n'

/** The lines of these rules within their role. */
function rulesFor(render: Render, kind: string | undefined, purpose: Purpose): string {
  const role = buildDeschedulerAccess(anyNamespace, [purpose]).find((object) => object.kind === kind) as Role
  if (role.rules.length === 0) return ''
  const [, lines = ''] = plain(render(role)).split(beginOfRules)
  return lines
}
