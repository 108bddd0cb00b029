/**
 * What `make test-oldest` runs: where Lifeboat leans on what a version of Kubernetes may lack. Files are named as vitest
 * filters them, by a part of their path. The rest of `make test-real` compares the embedded cluster with one version of
 * Kubernetes, word for word, or is about parts that ask an API server for nothing but reads and writes.
 */
export const oldestFiles: readonly string[] = [
  // Drains: the plan, cordoning, the stages, nodes that come and go.
  'test/stories/maintenance-',
  'test/stories/shutdown',
  'test/stories/drain-several',
  'test/stories/requests-under-way',
  'test/stories/why-forbidden',
  'test/real/why-commands',
  // Evacuations and the evacuators that Lifeboat brings, with the webhook that intercepts evictions.
  'test/stories/evacuation',
  'test/real/evacuation-process',
  'test/stories/deployment-evacuation',
  'test/stories/stateful-set-evacuation',
  'test/stories/autoscaler-evacuation',
  'test/stories/unknown-owners',
  // The hold of DaemonSet pods, by scheduling gates.
  'test/stories/daemon-set-',
  // The evict policy: before 1.36 a webhook has the place of a MutatingAdmissionPolicy.
  'test/stories/evict-strategy-evacuation',
  'test/stories/unhealthy-nodes',
  'test/real/evict-time',
  // Admission policies: their CEL has fewer functions in older versions, and the types that it knows have fewer fields.
  'test/stories/admission',
  'test/stories/forged-annotations',
  'test/real/admission-policies',
  'test/real/cordon-warnings',
  'test/real/evacuation-rights',
  'test/real/own-account',
  // Definitions of our kinds, with CEL too.
  'test/real/crds',
  'test/real/evacuation-clock',
  // A watch of a kind that never changes gets no bookmark from older versions.
  'test/real/silent-connection',
  // From install to uninstall, by every way, and by the kubectl of that version.
  'test/real/install',
  'test/real/kubectl-apply',
  'test/real/run.test',
  'test/stories/uninstall',
]
