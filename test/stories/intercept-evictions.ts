import { paths } from '../scenarios/admission-world.ts'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import type { HookHandler, WebhookServer } from '../scenarios/webhook-server.ts'

/**
 * Registers a webhook for the evictions of one namespace. The API server takes a moment to hear of it: a second one of
 * the same configuration tells when it has.
 */
export async function interceptEvictions(
  { name: groundName, transport, pass }: Pick<LifeboatGround, 'name' | 'transport' | 'pass'>,
  { namespace, webhooks, handler }: Interception,
): Promise<AsyncDisposable> {
  const name = `${namespace}-evictions`
  const served = (path: string, answer: HookHandler) => ({
    url: webhooks.handle(`/${namespace}${path}`, answer),
    caBundle: webhooks.caBundle,
  })
  const webhook = (of: string, resources: string, clientConfig: object) => ({
    name: `${of}.example.com`,
    clientConfig,
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resources] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    sideEffects: 'NoneOnDryRun',
    admissionReviewVersions: ['v1'],
  })
  const sentinel = served('/sentinel', () => ({ response: { allowed: false, status: { message: 'in effect' } } }))
  const body = {
    metadata: { name },
    webhooks: [
      webhook('evictions', 'pods/eviction', served('/evictions', handler)),
      webhook('sentinel', 'secrets', sentinel),
    ],
  }
  const registered = await transport.request({ method: 'POST', path: paths.validating, body })
  if (registered.status !== 201) throw new Error(`${groundName}: ${name}: ${JSON.stringify(registered.body)}`)
  const probe = {
    method: 'POST',
    path: paths.secrets.replaceAll('NS', namespace),
    body: { metadata: { name: 'sentinel' } },
    query: { dryRun: 'All' },
  } as const
  for (let tries = 0; ; tries++) {
    const { body: answer } = await transport.request(probe)
    if (String((answer as { message?: unknown }).message).includes('in effect')) break
    if (tries > 300) throw new Error(`${groundName}: ${name} is not in effect: ${JSON.stringify(answer)}`)
    await pass(100)
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await transport.request({ method: 'DELETE', path: `${paths.validating}/${name}` })
    },
  }
}

export interface Interception {
  readonly namespace: string
  readonly webhooks: WebhookServer
  readonly handler: HookHandler
}
