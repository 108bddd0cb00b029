// What the commands use of the embedded cluster. In the release this is a file of its own, lifeboat-cluster.mjs, which
// the container images do not have: only src/cli/connect/load-embedded.ts imports it, at the moment when it is needed.

export { openEmbeddedCluster } from './cluster.ts'
export { serveCluster } from './kubectl/http/serve-cluster.ts'
export { nodeLabels } from './node-labels.ts'
export { builtInAdmission } from './server/admission/built-in-admission.ts'
export { InProcessWebhooks } from './server/admission/webhooks/webhook-caller.ts'
