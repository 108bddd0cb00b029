import type { Manifest } from '../../src/api/kubernetes/meta.ts'
import { buildServer, said } from './embedded-server.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const pods = '/api/v1/namespaces/shop/pods'

/** An embedded API server with a policy and its binding in effect; a pod `web` may have been there before. */
export async function buildPolicedServer(
  [policy, binding]: readonly [Manifest, Manifest],
  before?: Readonly<Record<string, string>>,
) {
  const { send } = buildServer()
  const podOf = (annotations: object) => ({
    metadata: { name: 'web', annotations },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
  const arrangements: [path: string, object: object][] = [
    ...(before === undefined ? [] : [[pods, podOf(before)] as [string, object]]),
    [`${registration}/validatingadmissionpolicies`, policy],
    [`${registration}/validatingadmissionpolicybindings`, binding],
  ]
  for (const [path, object] of arrangements) {
    const answer = await send('POST', path, object)
    if (answer.status !== 201) throw new Error(said(answer))
  }
  return {
    /** What would become of a pod with these annotations. */
    creating: async (annotations: object) =>
      said(await send('POST', pods, podOf(annotations), { query: { dryRun: 'All' } })),
    /** What becomes of the pod that was there. */
    updating: async (metadata: object) =>
      said(await send('PATCH', `${pods}/web`, { metadata }, { contentType: 'application/merge-patch+json' })),
  }
}
