import type { ResourceDefinition } from '../definition.ts'
import { builtIn } from './built-in.ts'

const authorization = { group: 'authorization.k8s.io', version: 'v1', verbs: ['create'] }
const authentication = { group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }

/** Questions to the server: they can be created, are answered, and are not kept. */
export const reviewKinds: readonly ResourceDefinition[] = [
  builtIn({ ...authorization, plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false }),
  builtIn({ ...authorization, plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false }),
  builtIn({ ...authorization, plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview' }),
  builtIn({ ...authorization, plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false }),
  builtIn({ ...authentication, plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false }),
  builtIn({ ...authentication, plural: 'tokenreviews', kind: 'TokenReview', namespaced: false }),
]
