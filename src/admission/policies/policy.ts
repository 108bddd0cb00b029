import type { Manifest } from '../../api/kubernetes/meta.ts'
import { managedByLifeboat } from '../../api/names.ts'

export interface Policy extends Manifest {
  spec: {
    failurePolicy: 'Fail' | 'Ignore'
    matchConstraints: { resourceRules: readonly object[] }
    matchConditions: readonly { name: string; expression: string }[]
    variables?: readonly { name: string; expression: string }[]
    validations: readonly PolicyValidation[]
  }
}

export interface PolicyValidation {
  readonly expression: string
  /** For when the messageExpression fails. */
  readonly message: string
  readonly messageExpression: string
  readonly reason: 'Invalid' | 'Forbidden'
}

/** Refuses the request, or lets it pass and tells the client. */
export type PolicyAction = 'Deny' | 'Warn'

export interface PolicyBinding extends Manifest {
  spec: { policyName: string; validationActions: readonly [PolicyAction] }
}

const apiVersion = 'admissionregistration.k8s.io/v1'

/** A policy, and its binding to the whole cluster. */
export function buildPolicy(name: string, action: PolicyAction, spec: Policy['spec']): [Policy, PolicyBinding] {
  const metadata = { name, labels: { ...managedByLifeboat } }
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: structuredClone(metadata),
      spec: { policyName: name, validationActions: [action] },
    },
  ]
}

/** One that refuses pods. Annotations can be written through the status of a pod too. */
export function buildPodPolicy(
  name: string,
  rules: Pick<Policy['spec'], 'matchConditions' | 'variables' | 'validations'>,
): [Policy, PolicyBinding] {
  const pods = { apiGroups: [''], apiVersions: ['v1'], scope: 'Namespaced' }
  const resourceRules = [
    { ...pods, operations: ['CREATE', 'UPDATE'], resources: ['pods'] },
    { ...pods, operations: ['UPDATE'], resources: ['pods/status'] },
  ]
  return buildPolicy(name, 'Deny', { failurePolicy: 'Fail', matchConstraints: { resourceRules }, ...rules })
}

/** A text as CEL writes it. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const shownLengthMax = 100

/** CEL for a FieldProblem as renderFieldProblem words it. A line break would make the API server drop the message. */
export function celProblem(key: string, value: string, allowed: string): string {
  const shown = `(size(${value}) > ${shownLengthMax} ? ${value}.substring(0, ${shownLengthMax}) + '…' : ${value})`
  const oneLine = String.raw`${shown}.replace('\n', ' ')`
  return `'metadata.annotations[' + ${key} + '] is "' + ${oneLine} + ${celText(`": ${allowed}`)}`
}
