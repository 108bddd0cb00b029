import { buildAgentAccountPolicy } from '../../admission/policies/agent-account-policy.ts'
import type { Manifest } from '../../api/kubernetes/meta.ts'
import { installation, managedLabels, userOfServiceAccount, withLabels } from './installation-names.ts'
import { buildAccount } from '../manifests/rbac.ts'

// The node agent of the chart. It is off by default, and no part of what `lifeboat install` puts in.

/** What ties its account to its own node, and what that may do: nothing outside of Lifeboat's namespace. */
export function agentAccess(namespace: string): Manifest[] {
  const { agent: name } = installation
  return [
    ...buildAgentAccountPolicy(userOfServiceAccount(namespace, name)).map(withLabels),
    ...buildAccount({
      name,
      role: name,
      namespace,
      within: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
        },
        // Whether it is being removed, when it is told to end.
        { apiGroups: ['apps'], resources: ['daemonsets'], resourceNames: [name], verbs: ['get'] },
      ],
    }),
  ]
}

/** Everything that the chart can put in for it, by name: the last is the first to go. */
export function agentObjects(namespace: string): Manifest[] {
  const metadata = { name: installation.agent, namespace, labels: managedLabels }
  return [...agentAccess(namespace), { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata }]
}
