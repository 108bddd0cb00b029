import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJsonHints, readMessages, reachableFrom, type Hints, type Messages } from './read-protobuf.ts'

// Writes src/embedded/kubectl/http/protobuf-messages.json: how the bodies that Go clients send in protobuf are laid out. Made
// from the Kubernetes modules in Go's cache, so it runs on machines with Go; run it again when the version changes.

const version = 'v0.37.1'
const packages: readonly { readonly module: string; readonly path: string; readonly roots: readonly string[] }[] = [
  {
    module: 'api',
    path: 'core/v1',
    roots: [
      'Binding',
      'ConfigMap',
      'Endpoints',
      'Event',
      'Namespace',
      'Node',
      'PersistentVolumeClaim',
      'Pod',
      'ResourceQuota',
      'Secret',
      'Service',
      'ServiceAccount',
    ],
  },
  {
    module: 'api',
    path: 'apps/v1',
    roots: ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  },
  { module: 'api', path: 'batch/v1', roots: ['Job'] },
  { module: 'api', path: 'policy/v1', roots: ['Eviction', 'PodDisruptionBudget'] },
  { module: 'api', path: 'autoscaling/v1', roots: ['Scale'] },
  { module: 'api', path: 'autoscaling/v2', roots: ['HorizontalPodAutoscaler'] },
  { module: 'api', path: 'scheduling/v1', roots: ['PriorityClass'] },
  { module: 'api', path: 'coordination/v1', roots: ['Lease'] },
  { module: 'api', path: 'discovery/v1', roots: ['EndpointSlice'] },
  { module: 'api', path: 'rbac/v1', roots: ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'] },
  {
    module: 'api',
    path: 'authorization/v1',
    roots: ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'],
  },
  { module: 'api', path: 'authentication/v1', roots: ['SelfSubjectReview', 'TokenRequest', 'TokenReview'] },
  {
    module: 'api',
    path: 'admissionregistration/v1',
    roots: [
      'MutatingWebhookConfiguration',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
      'ValidatingWebhookConfiguration',
    ],
  },
  { module: 'apimachinery', path: 'pkg/apis/meta/v1', roots: ['DeleteOptions'] },
  { module: 'apimachinery', path: 'pkg/runtime', roots: ['Unknown'] },
  { module: 'apimachinery', path: 'pkg/api/resource', roots: [] },
  { module: 'apimachinery', path: 'pkg/util/intstr', roots: [] },
]

function main(): void {
  const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim()
  const messages: Messages = new Map()
  const hints: Hints = new Map()
  const roots: string[] = []
  for (const { module, path, roots: names } of packages) {
    const folder = join(cache, 'k8s.io', `${module}@${version}`, path)
    const packageName = `k8s.io.${module}.${path.replaceAll('/', '.')}`
    for (const [name, fields] of readMessages(readFileSync(join(folder, 'generated.proto'), 'utf8')))
      messages.set(name, fields)
    const types = path.endsWith('v1') || path.endsWith('v2') ? readFileSync(join(folder, 'types.go'), 'utf8') : ''
    for (const [name, fields] of readJsonHints(types, packageName)) hints.set(name, fields)
    roots.push(...names.map((name) => `${packageName}.${name}`))
  }
  const target = join(import.meta.dirname, '../src/embedded/kubectl/http/protobuf-messages.json')
  writeFileSync(target, `${JSON.stringify(reachableFrom(roots, messages, hints), undefined, 2)}\n`)
}

if (import.meta.main) main()
