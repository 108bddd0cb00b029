import type { Rule } from '../schema/rule.ts'

export const podNameLengthMax = 150

/**
 * The one name that the Evacuation of a pod can have: its UID and up to 150 characters of its name. A cut that ends in
 * "-" or "." would not be a name in Kubernetes, so such characters go too.
 */
export function evacuationName(pod: { readonly uid: string; readonly name: string }): string {
  return `${pod.uid}-${pod.name.slice(0, podNameLengthMax).replace(/[-.]+$/, '')}`
}

const podName = 'self.spec.podRef.name'
// `find` returns the longest run from the start that ends in a letter or a digit.
const expectedName =
  `self.spec.podRef.uid + '-' + (size(${podName}) <= ${podNameLengthMax} ? ${podName} : ` +
  `${podName}.substring(0, ${podNameLengthMax}).find('^.*[a-z0-9]'))`

interface Named {
  metadata: { name?: string; generateName?: string }
  spec: { podRef: { name: string; uid: string } }
}

export const evacuationNameRules: readonly Rule<Named>[] = [
  {
    rule: '!has(self.metadata.generateName) || size(self.metadata.generateName) == 0',
    message: 'generateName is not supported: the name follows from spec.podRef',
    fieldPath: '.metadata.generateName',
    reason: 'FieldValueForbidden',
    holds: ({ metadata }) => (metadata.generateName ?? '') === '',
  },
  {
    rule: `self.metadata.name == ${expectedName}`,
    message: "the name must be the pod's UID, a dash and the first 150 characters of the pod's name",
    messageExpression: `'the name must be the UID and the name of the pod: ' + ${expectedName}`,
    fieldPath: '.metadata.name',
    holds: ({ metadata, spec }) => metadata.name === evacuationName(spec.podRef),
  },
]
