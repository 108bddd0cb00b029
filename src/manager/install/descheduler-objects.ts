import { buildDeschedulerAccountPolicy } from '../../admission/policies/descheduler-account-policy.ts'
import type { Manifest } from '../../api/kubernetes/meta.ts'
import { installation, managedLabels, userOfServiceAccount, withLabels } from './installation-names.ts'
import { buildDeschedulerAccess } from '../manifests/descheduler-access.ts'

// The descheduler of the chart. It is off by default, and no part of what `lifeboat install` puts in.

/** Takes back a part of what its account may do. */
export function deschedulerPolicies(namespace: string): Manifest[] {
  return buildDeschedulerAccountPolicy(userOfServiceAccount(namespace, installation.descheduler)).map(withLabels)
}

/** Everything that the chart can put in for it, by name: the last is the first to go. */
export function deschedulerObjects(namespace: string): Manifest[] {
  const { descheduler, deschedulerMetrics, deschedulerPolicy } = installation
  const named = (apiVersion: string, kind: string, name: string): Manifest => ({
    apiVersion,
    kind,
    metadata: { name, namespace, labels: managedLabels },
  })
  return [
    ...deschedulerPolicies(namespace),
    ...buildDeschedulerAccess(namespace),
    named('networking.k8s.io/v1', 'NetworkPolicy', descheduler),
    named('v1', 'ConfigMap', deschedulerPolicy),
    named('v1', 'Service', deschedulerMetrics),
    named('apps/v1', 'Deployment', descheduler),
    named('batch/v1', 'CronJob', descheduler),
  ]
}
