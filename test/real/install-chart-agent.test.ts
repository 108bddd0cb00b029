import { beforeAll, describe, expect, test } from 'vitest'
import { agentImageReference, imageReference } from '../../scripts/build-image.ts'
import { objectsIn } from '../../scripts/render-chart.ts'
import { agentObjects } from '../../src/manager/install/agent-objects.ts'
import { chart, createHelm, type Helm, renderChart } from '../cluster/helm.ts'

// The node agent in the chart, as far as Helm alone shows it. What it does with static pods is in static-pods.test.ts.

let helm: Helm

beforeAll(async () => {
  helm = await createHelm()
}, 600_000)

interface Mount {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
}

interface Container {
  readonly name: string
  readonly image: string
  readonly imagePullPolicy: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly securityContext: object
  readonly volumeMounts: readonly Mount[]
}

interface PodSpec {
  readonly containers: readonly [Container, ...Container[]]
  readonly volumes: readonly { readonly name: string; readonly hostPath: { path: string; type: string } }[]
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: object
  readonly terminationGracePeriodSeconds: number
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec?: { readonly template: { readonly spec: PodSpec } }
}

const render = async (...settings: readonly string[]) => {
  const set = settings.flatMap((setting) => ['--set', setting])
  return objectsIn(await renderChart(helm, set)) as Manifest[]
}
const named = (objects: readonly Manifest[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)

async function podOf(name: 'DaemonSet lifeboat-agent' | 'Deployment lifeboat', ...settings: readonly string[]) {
  const objects = await render(...settings)
  const found = objects.find(({ kind, metadata }) => `${kind} ${metadata.name}` === name)
  if (found?.spec === undefined) throw new Error(`${name} is not among ${named(objects).join(', ')}`)
  return found.spec.template.spec
}
const agentOf = (...settings: readonly string[]) => podOf('DaemonSet lifeboat-agent', ...settings)
const controllerArgs = async (...settings: readonly string[]) =>
  (await podOf('Deployment lifeboat', ...settings)).containers[0].args ?? []

const rootWithoutCapabilities = {
  runAsUser: 0,
  runAsGroup: 0,
  runAsNonRoot: false,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
const busMount = { name: 'system-bus', mountPath: '/run/dbus', readOnly: true }
const logindMount = { name: 'logind-configuration', mountPath: '/run/systemd/logind.conf.d' }
const manifestsMount = { name: 'manifests', mountPath: '/etc/kubernetes/manifests' }
const busEnvironment = { name: 'DBUS_SYSTEM_BUS_ADDRESS', value: 'unix:path=/run/dbus/system_bus_socket' }

describe('off', () => {
  test('there is no trace of it but the rights to remove what it made, and a policy that narrows rights', async () => {
    const traces = (await render()).filter((object) => /lifeboat-agent|shutdown|reboot/.test(JSON.stringify(object)))
    const known = new Set(['Role lifeboat-uninstall', 'ValidatingAdmissionPolicy lifeboat-own-account'])
    expect(named(traces).filter((name) => !known.has(name))).toEqual([])
  })

  test.each([
    { name: 'values of a chart that did not know it', set: 'agent=null' },
    { name: 'values of a chart that knew static pods only', set: 'agent.image=null,agent.shutdown=null' },
    { name: 'settings of shutdowns that nobody holds up', set: 'agent.shutdownBudget=5m,agent.image.tag=other' },
  ])('$name change nothing', async ({ set }) => {
    expect(await renderChart(helm, ['--set', set])).toBe(await renderChart(helm, []))
  })
})

describe('static pods alone', () => {
  test('take one container of the image of Lifeboat, and one folder of the node', async () => {
    const pod = await agentOf('agent.staticPods=true')
    const [agent, ...others] = pod.containers
    expect(others).toEqual([])
    expect(agent.image).toBe(imageReference)
    expect(agent.args?.filter((flag) => /manifests|shutdown/.test(flag))).toEqual([
      '--manifests=/etc/kubernetes/manifests',
    ])
    expect(agent.env.map(({ name }) => name)).toEqual(['NODE_NAME', 'POD_NAME', 'POD_UID'])
    expect(agent.securityContext).toEqual(rootWithoutCapabilities)
    expect(agent.volumeMounts).toEqual([manifestsMount])
    expect(pod.volumes.map(({ hostPath }) => hostPath.path)).toEqual(['/etc/kubernetes/manifests'])
  })

  test('leave the pod confined, and its processes apart', async () => {
    const pod = await agentOf('agent.staticPods=true')
    expect(pod.shareProcessNamespace).toBeUndefined()
    expect(pod.securityContext).toBeUndefined()
    expect(JSON.stringify(pod)).not.toMatch(/Unconfined|spc_t|dbus|systemd/)
  })
})

describe('shutdowns alone', () => {
  test('take an agent and a lock in an image of their own', async () => {
    const { containers } = await agentOf('agent.shutdown=true')
    expect(containers.map(({ name, image }) => [name, image])).toEqual([
      ['agent', agentImageReference],
      ['lock', agentImageReference],
    ])
  })

  test('tell the agent what it may hold up, and nothing of static pods', async () => {
    const budget = ['agent.shutdownBudget=10m', 'agent.shutdownLeadTime=2h']
    const [agent] = (await agentOf('agent.shutdown=true', ...budget)).containers
    expect(agent.args).toEqual([
      'agent',
      '--node=$(NODE_NAME)',
      '--pod-name=$(POD_NAME)',
      '--pod-uid=$(POD_UID)',
      '--namespace=lifeboat-system',
      '--shutdown',
      '--shutdown-budget=10m',
      '--shutdown-lead-time=2h',
      '--log-level=info',
    ])
    expect(agent.volumeMounts).toEqual([busMount, logindMount])
    expect(agent.env).toContainEqual(busEnvironment)
  })

  test('are held up by a process of the lock alone, which sees the bus and nothing else', async () => {
    const { containers } = await agentOf('agent.shutdown=true')
    const lock = containers[1]
    expect(lock?.command).toEqual([
      '/usr/bin/systemd-inhibit',
      '--what=shutdown',
      '--mode=delay',
      '--who=Lifeboat',
      '--why=The node is drained first',
      '/usr/bin/sleep',
      'infinity',
    ])
    expect(lock?.env).toEqual([busEnvironment])
    expect(lock?.volumeMounts).toEqual([busMount])
  })

  test('let the agent see the process of the lock, and both reach the bus, without a capability', async () => {
    const pod = await agentOf('agent.shutdown=true')
    expect(pod.shareProcessNamespace).toBe(true)
    expect(pod.securityContext).toEqual({ appArmorProfile: { type: 'Unconfined' }, seLinuxOptions: { type: 'spc_t' } })
    for (const { securityContext } of pod.containers) expect(securityContext).toEqual(rootWithoutCapabilities)
    expect(pod.terminationGracePeriodSeconds).toBe(30)
  })

  test('mount folders, because the socket is made again with the bus, and make those that are missing', async () => {
    const { volumes } = await agentOf('agent.shutdown=true')
    expect(volumes.map(({ hostPath }) => hostPath)).toEqual([
      { path: '/run/dbus', type: 'DirectoryOrCreate' },
      { path: '/run/systemd/logind.conf.d', type: 'DirectoryOrCreate' },
    ])
  })
})

test('both take one pod with all of it', async () => {
  const pod = await agentOf('agent.staticPods=true', 'agent.shutdown=true')
  const [agent, lock] = pod.containers
  expect(agent.args?.filter((flag) => /manifests|shutdown/.test(flag))).toEqual([
    '--manifests=/etc/kubernetes/manifests',
    '--shutdown',
    '--shutdown-budget=30m',
    '--shutdown-lead-time=1h',
  ])
  expect(agent.volumeMounts).toEqual([manifestsMount, busMount, logindMount])
  expect(lock?.volumeMounts).toEqual([busMount])
  expect(pod.volumes.map(({ name }) => name)).toEqual(['manifests', 'system-bus', 'logind-configuration'])
})

test.each(['agent.staticPods=true', 'agent.shutdown=true'])(
  '%s brings what uninstalling knows, nothing else, and a namespace that lets it in',
  async (setting) => {
    const before = new Set(named(await render('createNamespace=true')))
    const objects = await render('createNamespace=true', setting)
    const known = named(agentObjects('lifeboat-system') as Manifest[])
    const brought = named(objects).filter((name) => !before.has(name))
    expect(brought.toSorted()).toEqual(known.toSorted())
    const namespace = objects.find(({ kind }) => kind === 'Namespace')
    expect(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('privileged')
    expect(await helm(['lint', '--strict', chart, '--set', setting])).toContain('0 chart(s) failed')
  },
)

const digest = `sha256:${'0'.repeat(64)}`
const version = agentImageReference.split(':')[1]

describe('the image of an agent for shutdowns', () => {
  test.each([
    { name: 'is beside that of Lifeboat', set: ['image.repository=r.io/boat'], image: `r.io/boat-agent:${version}` },
    { name: 'has its tag', set: ['image.tag=1.2.3'], image: 'lifeboat-agent:1.2.3' },
    {
      name: 'has a name of its own where there is one',
      set: ['image.repository=r.io/boat', 'agent.image.repository=r.io/other', 'agent.image.tag=v4'],
      image: 'r.io/other:v4',
    },
    {
      name: 'is named by its digest before its tag',
      set: [`agent.image.digest=${digest}`, 'agent.image.tag=v4'],
      image: `lifeboat-agent@${digest}`,
    },
    {
      name: 'has no digest of another image',
      set: [`image.digest=${digest}`],
      image: agentImageReference,
    },
    {
      name: 'is found with values of a chart that knew static pods only',
      set: ['agent.image=null', 'agent.shutdownBudget=null', 'agent.shutdownLeadTime=null'],
      image: agentImageReference,
    },
  ])('$name', async ({ set, image }) => {
    const { containers } = await agentOf('agent.shutdown=true', ...set)
    expect(containers.map((container) => container.image)).toEqual([image, image])
  })

  test('is pulled as that of Lifeboat, unless told otherwise', async () => {
    const pulled = async (...settings: readonly string[]) =>
      (await agentOf('agent.shutdown=true', ...settings)).containers.map(({ imagePullPolicy }) => imagePullPolicy)
    expect(await pulled('image.pullPolicy=Never')).toEqual(['Never', 'Never'])
    expect(await pulled('image.pullPolicy=Never', 'agent.image.pullPolicy=Always')).toEqual(['Always', 'Always'])
  })
})

test('the controller is told of shutdowns only what is set', async () => {
  const usual = await controllerArgs()
  expect(await controllerArgs('agent.shutdown=true')).toEqual(usual)
  expect(await controllerArgs('agent.completeAfterReboot=true')).toEqual([...usual, '--complete-after-reboot'])
  // As Helm reads it from a file: every number is a fraction there.
  const priorities = ['--set-json', 'agent.shutdownPodPriorities=[-5,0,1000,2000000000]']
  const rendered = objectsIn(await renderChart(helm, priorities)) as Manifest[]
  const deployment = rendered.find(({ kind }) => kind === 'Deployment')
  expect(deployment?.spec?.template.spec.containers[0].args).toEqual([
    ...usual,
    '--shutdown-pod-priorities=-5,0,1000,2000000000',
  ])
})

describe('values that are wrong are refused by name', () => {
  test.each([
    { set: 'agent.shutdowns=true', says: "at '/agent': additional properties 'shutdowns' not allowed" },
    { set: 'agent.shutdown=yes', says: "at '/agent/shutdown': got string, want boolean" },
    { set: 'agent.shutdownBudget=soon', says: "at '/agent/shutdownBudget': 'soon' does not match pattern" },
    { set: 'agent.shutdownBudget=0s', says: "at '/agent/shutdownBudget': '0s' does not match pattern" },
    { set: 'agent.shutdownBudget=30', says: "at '/agent/shutdownBudget': got number, want string" },
    { set: 'agent.shutdownLeadTime=1d', says: "at '/agent/shutdownLeadTime': '1d' does not match pattern" },
    { set: 'agent.completeAfterReboot=1', says: "at '/agent/completeAfterReboot': got number, want boolean" },
    { set: 'agent.shutdownPodPriorities=0', says: "at '/agent/shutdownPodPriorities': got number, want array" },
    {
      set: 'agent.shutdownPodPriorities={high}',
      says: "at '/agent/shutdownPodPriorities/0': got string, want integer",
    },
    { set: 'agent.shutdownPodPriorities={5,5}', says: "at '/agent/shutdownPodPriorities': items at 0 and 1 are equal" },
    {
      set: 'agent.shutdownPodPriorities={3000000000}',
      says: "at '/agent/shutdownPodPriorities/0': maximum: got 3×10⁰⁹, want 2.147483647×10⁰⁹",
    },
    { set: 'agent.image.name=x', says: "at '/agent/image': additional properties 'name' not allowed" },
    { set: 'agent.image.digest=latest', says: "at '/agent/image/digest': 'latest' does not match pattern" },
    {
      set: 'agent.image.pullPolicy=Sometimes',
      says: "at '/agent/image/pullPolicy': value must be one of '', 'Always', 'IfNotPresent', 'Never'",
    },
  ])('$set', async ({ set, says }) => {
    await expect(render(set)).rejects.toThrow(says)
  })

  test.each(['EvacuationAPI', 'DeclarativeNodeMaintenance'])(
    'shutdowns without %s, which would wait for nobody',
    async (gate) => {
      await expect(render('agent.shutdown=true', `featureGates.${gate}=false`)).rejects.toThrow(
        `agent.shutdown is true and featureGates.${gate} is false`,
      )
    },
  )
})
