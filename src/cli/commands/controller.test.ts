import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { commandWorld, openServedCluster, type ServedCluster } from '../../../test/build/served-cluster.ts'
import { findFreePorts } from '../../../test/cluster/ports.ts'
import type { WebhookCaller } from '../../embedded/server/admission/webhooks/webhook-caller.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { withoutWebhooks } from '../../manager/register/admission-objects.ts'
import { applyAll } from '../../manager/install/apply.ts'
import { everyAdmissionObject, install } from '../../manager/install/install.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { serviceAccountCredentials } from '../../manager/run/service-account-credentials.ts'
import { systemClock } from '../../runtime/system.ts'
import { controller, type ControllerOptions, type Surroundings } from './controller.ts'

const { namespace, webhookService } = installation
const options: Omit<ControllerOptions, 'webhookPort'> = {
  featureGates: featureGateDefaults,
  controllerEvictTimeout: 60_000,
  shutdownPodPriorities: [],
  listen: undefined,
  logLevel: 'error',
  service: webhookService,
  deschedulingInterval: 300_000,
  maxEvacuationRequestTtl: 0,
}

/** What the kubelet mounts, for Lifeboat's own account. */
async function podIn({ admin, url, certificateAuthority }: ServedCluster): Promise<Surroundings> {
  const { hostname, port } = new URL(url)
  const { token = '' } = await serviceAccountCredentials({
    kube: admin,
    clock: systemClock,
    namespace,
    name: installation.serviceAccount,
  }).current()
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount'
  const contents = new Map([
    [`${folder}/token`, token],
    [`${folder}/ca.crt`, certificateAuthority],
    [`${folder}/namespace`, namespace],
  ])
  return {
    environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    files: { readText: async (path) => contents.get(path) ?? '' },
    installedWithinMs: 0,
  }
}

/** A Service without a network: whoever calls it gets to the first of the ports that answers. */
function serviceTo(ports: readonly number[]): WebhookCaller {
  const servername = `${webhookService}.${namespace}.svc`
  return {
    call: async ({ caBundle = '', service }, review) => {
      expect(service).toMatchObject({ namespace, name: webhookService, port: 8443 })
      const dispatcher = new Agent({ connect: { ca: Buffer.from(caBundle, 'base64'), servername } })
      try {
        for (const port of ports) {
          const sent = { method: 'POST', dispatcher, headers: { 'content-type': 'application/json' } } as const
          const answer = await request(`https://127.0.0.1:${port}${service?.path}`, {
            ...sent,
            body: JSON.stringify(review),
          }).catch(() => undefined)
          if (answer !== undefined) return await answer.body.json()
        }
        throw new Error('connection refused')
      } finally {
        await dispatcher.close()
      }
    },
  }
}

const path = 'mutatingwebhookconfigurations.admissionregistration.k8s.io'
const bundleIn = ({ cluster }: ServedCluster) => {
  const { webhooks = [] } = cluster.store.get(path, 'lifeboat-admission-evacuations') as unknown as {
    webhooks?: { clientConfig: { caBundle?: string } }[]
  }
  return webhooks[0]?.clientConfig.caBundle ?? ''
}

test('two replicas share one certificate, and the one that stays takes over', async () => {
  const ports = await findFreePorts(2)
  await using served = await openServedCluster({ webhookCaller: serviceTo(ports) })
  const parts = { kube: served.admin, clock: systemClock }
  await install(parts, namespace)
  // As deploy/lifeboat.yaml has them: without webhooks.
  await applyAll(parts, everyAdmissionObject(namespace).map(withoutWebhooks))
  const worlds = [commandWorld(), commandWorld()] as const
  const start = async (world: (typeof worlds)[number], webhookPort: number) => ({
    ended: controller(world, { ...options, webhookPort }, await podIn(served)),
  })
  const running = [await start(worlds[0], ports[0] ?? 0), await start(worlds[1], ports[1] ?? 0)] as const
  await Promise.all(worlds.map((world, at) => Promise.race([world.ready, running[at]?.ended])))
  expect(worlds.map(({ lines }) => lines.length)).toEqual([1, 1])
  expect(served.cluster.store.count('secrets')).toBe(1)
  const holder = () => {
    const lease = served.cluster.store.get('leases.coordination.k8s.io', `${namespace}/lifeboat`) as unknown as
      | { spec: { holderIdentity: string } }
      | undefined
    return lease?.spec.holderIdentity ?? ''
  }
  // Either may lead, and may show it a moment later.
  await expect.poll(holder, { timeout: 10_000 }).not.toBe('')
  await expect.poll(() => bundleIn(served), { timeout: 10_000 }).not.toBe('')
  const bundle = bundleIn(served)
  worlds[0].interrupt()
  await running[0].ended
  await expect.poll(holder, { timeout: 10_000 }).not.toBe('')
  expect(bundleIn(served)).toBe(bundle)
  worlds[1].interrupt()
  await running[1].ended
  expect(holder()).toBe('')
}, 30_000)

test('what is not installed is named in one line', async () => {
  await using served = await openServedCluster()
  await install({ kube: served.admin, clock: systemClock }, namespace)
  const starting = controller(commandWorld(), { ...options, webhookPort: 0 }, await podIn(served))
  await expect(starting).rejects.toThrow(
    /^not installed: the ValidatingAdmissionPolicy lifeboat-evacuator-annotations, .*; apply deploy\/lifeboat.yaml first$/,
  )
})

test('outside of a pod it says what to run instead', async () => {
  const files = { readText: async () => '' }
  const starting = controller(
    commandWorld(),
    { ...options, webhookPort: 0 },
    { environment: {}, files, installedWithinMs: 0 },
  )
  await expect(starting).rejects.toThrow('lifeboat run --kubeconfig FILE')
})

test('a descheduler has nothing to ask for without the Evacuation API', async () => {
  const featureGates = { ...featureGateDefaults, EvacuationAPI: false }
  const starting = controller(
    commandWorld(),
    { ...options, featureGates, deschedulerPolicy: 'policy.yaml', webhookPort: 0 },
    {
      environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' },
      files: { readText: async () => '' },
      installedWithinMs: 0,
    },
  )
  await expect(starting).rejects.toThrow('--descheduler-policy is given, and the feature gate EvacuationAPI is off')
})
