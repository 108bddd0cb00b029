import { describe, expect, test } from 'vitest'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import {
  formerConfigurations,
  webhookPaths,
  type WebhookClientConfig,
} from '../../admission/serving/webhook-configurations.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { deployments } from '../../api/kubernetes/resources.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { sleep } from '../../runtime/clock.ts'
import { admissionObjects } from '../register/admission-objects.ts'
import { applyAll } from './apply.ts'
import { install } from './install.ts'
import { availableReplicas, installWorkload, withImage } from './install-workload.ts'
import { installation } from './installation-names.ts'
import { serviceAddress } from '../run/listener-serving.ts'
import { Registration } from '../register/registration.ts'

const { namespace } = installation

/** The embedded cluster leaves server-side apply out: here it is a creation, or a merge into what is there. */
function applying(transport: Transport): Transport {
  return {
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
    request: async (request) => {
      if (request.headers?.['content-type'] !== 'application/apply-patch+yaml') return transport.request(request)
      const query: Record<string, string> = request.query?.['dryRun'] === 'All' ? { dryRun: 'All' } : {}
      const headers = { 'content-type': 'application/merge-patch+json' }
      const patched = await transport.request({ ...request, query, headers })
      if (patched.status !== 404) return patched
      const path = request.path.slice(0, request.path.lastIndexOf('/'))
      return transport.request({ ...request, method: 'POST', path, query, headers: {} })
    },
  }
}

async function installed(ground: LifeboatGround, options: { image?: string; dryRun?: boolean } = {}) {
  const lines: string[] = []
  const parts = { kube: buildKube(applying(ground.adminTransport), ground.clock), clock: ground.clock }
  const print = (line: string) => void lines.push(line)
  await ground.until(installWorkload(parts, { dryRun: false, ...options, print }), 400_000)
  return lines
}

/** Somebody answers at the Service, as a replica would refuse an Evacuation of a pod that does not exist. */
function answer({ webhooks }: LifeboatGround): void {
  webhooks.register(clientOf(webhookPaths.mutateEvacuations), async (review) => {
    const { uid } = (review as { request: { uid: string } }).request
    const status = { code: 422, reason: 'Invalid', message: 'no such pod' }
    const response = { uid, allowed: false, status }
    return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
  })
}

const address = serviceAddress(namespace, installation.webhookService)
const clientOf = (path: string) => ({ ...address(path, 0), caBundle: '' }) as WebhookClientConfig

/** As the replica that leads: puts webhooks into the configurations when they are there. */
async function lead({ admin, clock }: LifeboatGround): Promise<void> {
  const { wanted } = admissionObjects({
    gates: featureGateDefaults,
    namespace,
    client: clientOf,
    evictTimeBy: ['policy'],
    controllerEvictTimeout: '60s',
  })
  const registration = new Registration({ rights: 'updateOnly', objects: () => ({ wanted, unwanted: [] }) })
  const missing = () => registration.establish({ kube: admin, clock }, { onlyWhereItDiffers: true })
  while ((await missing()).length > 0) await sleep(clock, 1_000, new AbortController().signal)
}

describe('installing what runs within the cluster', () => {
  test('puts all in, waits for the replicas, and for the API server to reach them', async () => {
    await using ground = await openLifeboatGround({ installed: false, nodes: 2 })
    answer(ground)
    const leading = lead(ground)
    const lines = await installed(ground, { image: 'example.com/lifeboat:2' })
    await ground.until(leading)
    expect(lines[0]).toBe('applied namespaces/lifeboat-system')
    expect(lines.slice(-2)).toEqual(['2 replicas run', 'the API server reaches the webhooks'])
    const found = await ground.until(ground.admin.get(deployments, { namespace, name: installation.deployment }))
    expect(JSON.stringify(found.spec)).toContain('"image":"example.com/lifeboat:2"')
  })

  test('a webhook that nobody answers is named with its port', async () => {
    await using ground = await openLifeboatGround({ installed: false, nodes: 2 })
    const leading = lead(ground)
    await expect(installed(ground)).rejects.toThrow(
      /^the replicas run, but the API server does not reach their webhooks at port 9443: .*; is there a firewall\?$/,
    )
    await ground.until(leading)
  })

  test('replicas that find no node say so', async () => {
    await using ground = await openLifeboatGround({ installed: false, nodes: 0 })
    await expect(installed(ground)).rejects.toThrow(
      /^the replicas do not become available \(lifeboat-\S+: Unschedulable: .*\): see kubectl describe pods/,
    )
  })

  test('a dry run changes nothing, and says what it cannot try', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    const lines = await installed(ground, { dryRun: true })
    expect(lines).toContain('applied namespaces/lifeboat-system (server dry run)')
    expect(lines).toContain('would apply deployments/lifeboat in namespace lifeboat-system (server dry run)')
    expect(ground.cluster.store.get('namespaces', namespace)).toBeUndefined()
  })

  test('is refused beside one that runs from outside', async () => {
    await using ground = await openLifeboatGround()
    const opened = await ground.open({ identity: 'host_1' })
    await ground.until(opened.manager.ready())
    await expect(installed(ground)).rejects.toThrow(
      'Lifeboat runs for this cluster from outside, as host_1; end that first',
    )
  })

  test('takes over from one that died outside, whose webhooks still lead there', async () => {
    await using ground = await openLifeboatGround({ nodes: 2 })
    const opened = await ground.open({ identity: 'host_1' })
    await ground.until(opened.manager.ready())
    opened.kill()
    await ground.pass(20_000)
    answer(ground)
    const installing = installed(ground)
    const leading = lead(ground)
    expect((await installing).at(-1)).toBe('the API server reaches the webhooks')
    await ground.until(leading)
  })

  test('removes the webhooks of a former release, which lead to replicas that are about to end', async () => {
    await using ground = await openLifeboatGround({ installed: false, nodes: 2 })
    await ground.until(applyAll({ kube: ground.admin, clock: ground.clock }, formerConfigurations()))
    answer(ground)
    const leading = lead(ground)
    const lines = await installed(ground)
    await ground.until(leading)
    expect(lines.filter((line) => line.startsWith('removed '))).toHaveLength(6)
    expect(lines).toContain('removed mutatingwebhookconfigurations/lifeboat-evacuations')
  })

  test('is refused over a release of Helm', async () => {
    await using ground = await openLifeboatGround({ installed: false })
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, namespace))
    const annotations = { 'meta.helm.sh/release-name': 'boat' }
    const labels = { app: 'x' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x' }] } }
    const spec = { replicas: 0, selector: { matchLabels: labels }, template }
    const metadata = { name: installation.deployment, namespace, annotations }
    await ground.until(ground.admin.create(deployments, { metadata, spec }))
    await expect(installed(ground)).rejects.toThrow(
      "Lifeboat is here as Helm's release boat; change it with helm upgrade boat --namespace lifeboat-system",
    )
  })
})

test('only the Deployment has an image to change', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } }
  expect(withImage(service, 'other')).toBe(service)
})

test.each([
  {
    name: 'all are there',
    status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    is: 2,
  },
  { name: 'one lacks', status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 1 } },
  { name: 'one is old', status: { observedGeneration: 2, replicas: 3, updatedReplicas: 2, availableReplicas: 2 } },
  {
    name: 'nobody looked yet',
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
  },
])('a Deployment of which $name', ({ status, is }) => {
  const spec = { replicas: 2, template: { spec: { containers: [] } } }
  expect(availableReplicas({ metadata: { name: 'lifeboat', generation: 2 }, spec, status })).toBe(is)
})
