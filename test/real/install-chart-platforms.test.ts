import { beforeAll, describe, expect, test } from 'vitest'
import { objectsIn } from '../../scripts/render-chart.ts'
import { createHelm, type Helm, renderChart } from '../cluster/helm.ts'

// What the chart has for clusters with rules of their own, as far as Helm alone shows it.

let helm: Helm

beforeAll(async () => {
  helm = await createHelm()
}, 600_000)

interface Container {
  readonly args: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number; readonly hostPort?: number }[]
  readonly securityContext: object
}

interface PodSpec {
  readonly hostNetwork?: boolean
  readonly dnsPolicy?: string
  readonly securityContext: object
  readonly containers: readonly [Container, ...Container[]]
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly strategy: { readonly rollingUpdate: object }
    readonly template: { readonly spec: PodSpec }
  }
}

const render = async (...values: readonly string[]) =>
  objectsIn(
    await renderChart(
      helm,
      values.flatMap((value) => ['--set', value]),
    ),
  ) as Manifest[]

async function objectOf(kind: string, name: string, ...values: readonly string[]): Promise<Manifest> {
  const found = (await render(...values)).find((object) => object.kind === kind && object.metadata.name === name)
  if (found === undefined) throw new Error(`the chart makes no ${kind} ${name}`)
  return found
}

const podOf = (object: Manifest) => object.spec.template.spec
const descheduling = 'descheduler.enabled=true'
const seccompProfile = { type: 'RuntimeDefault' }

describe('the ids of the pods', () => {
  test.each([
    { name: 'are fixed by default', values: [], expected: { runAsUser: 65_532, runAsGroup: 65_532 } },
    {
      name: 'are left to the cluster where they are null',
      values: ['podSecurityContext.runAsUser=null', 'podSecurityContext.runAsGroup=null'],
      expected: {},
    },
    {
      name: 'may be large, as those of OpenShift are',
      values: ['podSecurityContext.runAsUser=1000680000', 'podSecurityContext.runAsGroup=1000680001'],
      expected: { runAsUser: 1_000_680_000, runAsGroup: 1_000_680_001 },
    },
  ])('$name, and nothing else changes', async ({ values, expected }) => {
    for (const name of ['lifeboat', 'lifeboat-descheduler']) {
      const { securityContext, containers } = podOf(await objectOf('Deployment', name, descheduling, ...values))
      expect([name, securityContext]).toEqual([name, { runAsNonRoot: true, ...expected, seccompProfile }])
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
    const uninstall = podOf(await objectOf('Job', 'lifeboat-uninstall', ...values))
    expect(uninstall.securityContext).toEqual({ runAsNonRoot: true, ...expected, seccompProfile })
  })

  test.each([
    { set: 'podSecurityContext.runAsUser=0', says: "at '/podSecurityContext/runAsUser': minimum: got 0, want 1" },
    { set: 'podSecurityContext.runAsUser=any', says: "at '/podSecurityContext/runAsUser': got string" },
    { set: 'podSecurityContext.runAsNonRoot=false', says: "additional properties 'runAsNonRoot' not allowed" },
  ])('$set is refused', async ({ set, says }) => {
    await expect(render(set)).rejects.toThrow(says)
  })
})

describe('in the network of the node', () => {
  const values = ['hostNetwork=true', 'webhookPort=19443', 'metricsPort=18081']

  test('the pods that answer webhooks have the ports of the node, and resolve names as others do', async () => {
    const { hostNetwork, dnsPolicy, containers } = podOf(await objectOf('Deployment', 'lifeboat', ...values))
    expect({ hostNetwork, dnsPolicy }).toEqual({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })
    // By its port the scheduler keeps a second pod off the node.
    expect(containers[0].ports).toEqual([
      { name: 'admission', containerPort: 19_443, hostPort: 19_443 },
      { name: 'metrics', containerPort: 18_081, hostPort: 18_081 },
    ])
    expect(containers[0].args).toEqual(expect.arrayContaining(['--webhook-port=19443', '--listen=[::]:18081']))
  })

  test('an update needs no node more than there are pods', async () => {
    const { strategy } = (await objectOf('Deployment', 'lifeboat', ...values)).spec
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 1, maxSurge: 0 })
  })

  test('nothing is there but what answers webhooks', async () => {
    const descheduler = podOf(await objectOf('Deployment', 'lifeboat-descheduler', descheduling, ...values))
    const uninstall = podOf(await objectOf('Job', 'lifeboat-uninstall', ...values))
    expect([descheduler.hostNetwork, uninstall.hostNetwork]).toEqual([undefined, undefined])
    expect(descheduler.containers[0].ports).toEqual([{ name: 'metrics', containerPort: 18_081 }])
  })

  test.each([
    { values: [], expected: 'restricted' },
    { values: ['hostNetwork=true'], expected: 'privileged' },
  ])('a namespace that the chart creates allows it: $values', async ({ values: some, expected }) => {
    const { labels } = (await objectOf('Namespace', 'lifeboat-system', 'createNamespace=true', ...some)).metadata
    expect(labels['pod-security.kubernetes.io/enforce']).toBe(expected)
  })

  test.each([
    { set: ['hostNetwork=true', 'webhookPort=10250'], says: 'webhookPort is 10250, which Kubernetes itself uses' },
    { set: ['hostNetwork=true', 'metricsPort=10256'], says: 'metricsPort is 10256, which Kubernetes itself uses' },
    { set: ['webhookPort=8081'], says: 'webhookPort and metricsPort are both 8081' },
    { set: ['hostNetwork=yes'], says: "at '/hostNetwork': got string, want boolean" },
  ])('$set is refused', async ({ set, says }) => {
    await expect(render(...set)).rejects.toThrow(says)
  })

  test('a port of the kubelet is as good as another in a network of its own', async () => {
    expect(podOf(await objectOf('Deployment', 'lifeboat', 'webhookPort=10250')).containers[0].ports).toEqual([
      { name: 'admission', containerPort: 10_250 },
      { name: 'metrics', containerPort: 8_081 },
    ])
  })
})

test('by default no pod but the node agent is in the network of its node', async () => {
  const { hostNetwork, dnsPolicy } = podOf(await objectOf('Deployment', 'lifeboat'))
  const { strategy } = (await objectOf('Deployment', 'lifeboat')).spec
  expect({ hostNetwork, dnsPolicy }).toEqual({ hostNetwork: undefined, dnsPolicy: undefined })
  expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
})
