import type { Manifest } from '../../api/kubernetes/meta.ts'
import { annotations, managedByLifeboat } from '../../api/names.ts'
import { unhealthyTaints } from '../../api/maintenance/unhealthy-node.ts'
import { celEvictTimeoutHolds } from './evict-policy-policy.ts'
import { celText } from './policy.ts'

export interface MutatingPolicy extends Manifest {
  spec: {
    failurePolicy: 'Ignore'
    reinvocationPolicy: 'Never'
    matchConstraints: { resourceRules: readonly object[] }
    matchConditions: readonly { name: string; expression: string }[]
    variables: readonly { name: string; expression: string }[]
    mutations: readonly { patchType: 'JSONPatch'; jsonPatch: { expression: string } }[]
  }
}

export interface MutatingPolicyBinding extends Manifest {
  spec: { policyName: string }
}

const apiVersion = 'admissionregistration.k8s.io/v1'
export const evictTimePolicyName = 'lifeboat-evict-time'

/** As the policy reads it. */
export function celDurationOf(timeoutMs: number): string {
  return `${Math.ceil(timeoutMs / 1_000)}s`
}

/** CEL has no counting loop. A pod with more tolerations than this is left alone. */
export const tolerationsMax = 32
/** Some thirty years. Longer is as good as forever, and the sum could become more than a number holds. */
export const tolerationSecondsMax = 1_000_000_000

const [policyKey, timeoutKey, addedKey] = [
  celText(annotations.evictPolicy),
  celText(annotations.evictTimeout),
  celText(annotations.addedTolerationSeconds),
]

/**
 * The pods whose controller is given time. Without a controller nothing can take over, and no controller moves the
 * mirror of a static pod. A pod that says what was added has its time already: it was restored from a copy, or both
 * the policy and the webhook are in effect for a moment.
 */
export const takenOver = {
  name: 'taken-over',
  expression: [
    `has(object.metadata.annotations) && ${policyKey} in object.metadata.annotations`,
    `object.metadata.annotations[${policyKey}] == 'ControllerTakeOver'`,
    `!(${addedKey} in object.metadata.annotations)`,
    `!(${celText(annotations.mirrorPod)} in object.metadata.annotations)`,
    'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller)',
  ].join(' && '),
}

/**
 * Kubernetes queues the deletion of a pod when the taint of its dead node appears, so time for its controller has to be
 * made before: pods under ControllerTakeOver tolerate such a node longer by their timeout. This runs before any check,
 * so a timeout that means nothing counts as none here, and is refused by name afterwards. The default is a duration as
 * CEL reads it, such as 60s.
 */
export function buildEvictTimePolicy(defaultTimeout: string): [MutatingPolicy, MutatingPolicyBinding] {
  const metadata = { name: evictTimePolicyName, labels: { ...managedByLifeboat } }
  const timeout = `object.metadata.annotations[${timeoutKey}]`
  const isMeant = `${timeoutKey} in object.metadata.annotations && ${celEvictTimeoutHolds(timeout)}`
  const indexes = Array.from({ length: tolerationsMax }, (_, index) => index).join(', ')
  const keys = unhealthyTaints.map(celText).join(', ')
  const at = 'object.spec.tolerations[i]'
  const isLimited = `[${at}].exists(t, has(t.key) && t.key in [${keys}] && has(t.tolerationSeconds) && t.tolerationSeconds <= ${tolerationSecondsMax})`
  const path = `'/spec/tolerations/' + string(i) + '/tolerationSeconds'`
  const seconds = `(${at}.tolerationSeconds < 0 ? 0 : ${at}.tolerationSeconds) + variables.seconds`
  const note = `/metadata/annotations/${annotations.addedTolerationSeconds.replace('/', '~1')}`
  const longer = `variables.limited.map(i, JSONPatch{op: 'replace', path: ${path}, value: ${seconds}})`
  const noted = `[JSONPatch{op: 'add', path: ${celText(note)}, value: string(variables.seconds)}]`
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Ignore',
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: 'Namespaced' },
          ],
        },
        matchConditions: [takenOver],
        variables: [
          {
            name: 'seconds',
            expression: `duration(${isMeant} ? ${timeout} : ${celText(defaultTimeout)}).getSeconds()`,
          },
          {
            name: 'limited',
            expression: `has(object.spec.tolerations) && size(object.spec.tolerations) <= ${tolerationsMax} ? [${indexes}].filter(i, i < size(object.spec.tolerations) && ${isLimited}) : []`,
          },
        ],
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: `size(variables.limited) == 0 ? [] : ${longer} + ${noted}` },
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: structuredClone(metadata),
      spec: { policyName: evictTimePolicyName },
    },
  ]
}
