import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentImage, lifeboatImage } from '../../scripts/build-image.ts'
import { writeImage } from '../../scripts/image-archive.ts'
import { mailboxNameOf, reportOf } from '../../src/api/maintenance/agent-mailbox.ts'
import type { ContainerStatus, Pod } from '../../src/api/kubernetes/core.ts'
import { leases, pods } from '../../src/api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../src/api/maintenance/node-maintenance.ts'
import { isReady } from '../../src/api/kubernetes/pod-availability.ts'
import { unlessNotFound } from '../../src/kube/client/errors.ts'
import { connect, type Connection } from '../cluster/connect.ts'
import { renderChart, release } from '../cluster/helm.ts'
import { pauseImage, realNode } from '../cluster/kubelet/files.ts'
import { createKubectl, type Kubectl } from '../cluster/kubectl.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import { confinementOf, openInstallWorld, type InstallWorld } from './install-world.ts'

// Static pods of a real kubelet and containerd, and the agent of the chart in a pod beside them. Lifeboat itself runs
// outside: the node that is drained is the only one with pods that run.

const namespace = 'static'
const priorities = { low: 1_000, middle: 7_000, high: 9_000 }
/** Their names are in another order than their priorities. */
const statics = { 'b-first': 'low', 'c-second': 'middle', 'a-third': 'high' } as const
const mirrors = Object.keys(statics).map((name) => `${name}-${realNode}`)

let world: InstallWorld
let connection: Connection
let lifeboat: LifeboatProcess

beforeAll(async () => {
  world = await openInstallWorld([])
  connection = await connect(world.cluster)
  lifeboat = await startLifeboat(world.cluster.kubeconfigPath, [], world.program)
  const { kubectl } = world.cluster
  await kubectl(['create', 'namespace', namespace])
  for (const [name, value] of Object.entries(priorities)) {
    await kubectl(['create', 'priorityclass', name, `--value=${value}`])
  }
  await kubectl([
    'label',
    'namespace',
    release.namespace,
    'pod-security.kubernetes.io/enforce=privileged',
    '--overwrite',
  ])
  await kubectl(['apply', '-f', '-'], { stdin: await renderAgent() })
  for (const [name, priorityClassName] of Object.entries(statics)) await writeManifest(name, { priorityClassName })
}, 300_000)

afterAll(async () => {
  await lifeboat?.[Symbol.asyncDispose]()
  await connection?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
}, 120_000)

/** What the chart has for the agent. */
function renderAgent(...more: readonly string[]): Promise<string> {
  const settings = ['agent.staticPods=true', `agent.manifests=${world.node.manifests}`, ...more]
  const shown = ['agent.yaml', 'generated/agent-access.yaml'].flatMap((name) => ['--show-only', `templates/${name}`])
  return renderChart(world.helm, [...shown, ...settings.flatMap((setting) => ['--set', setting])])
}

/** As kubeadm does it: beside the folder's names, and then in their place. */
async function writeManifest(name: string, spec: object): Promise<void> {
  const { manifests } = world.node
  const containers = [{ name: 'main', image: pauseImage, imagePullPolicy: 'Never' }]
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: { hostNetwork: true, terminationGracePeriodSeconds: 1, containers, ...spec },
  }
  await writeFile(join(manifests, `.${name}.new`), JSON.stringify(pod))
  await rename(join(manifests, `.${name}.new`), join(manifests, `${name}.yaml`))
}

async function eventually<T>(what: string, read: () => Promise<T | undefined>, withinMs = 90_000): Promise<T> {
  const untilMs = Date.now() + withinMs
  while (Date.now() < untilMs) {
    const found = await read()
    if (found !== undefined) return found
    await pause(200)
  }
  throw new Error(`never: ${what}; there are ${await described()}\n${lifeboat.said().slice(-3_000)}`)
}

async function described(): Promise<string> {
  const { items } = await connection.kube.list(pods, {})
  const lines = items.map(({ metadata, status }) => `${metadata.namespace}/${metadata.name} ${status?.phase}`)
  return [...lines, ...(await readdir(world.node.manifests))].join(', ')
}

async function podsOf(): Promise<Pod[]> {
  return (await connection.kube.list(pods, { namespace })).items
}

const hashOf = ({ metadata }: Pod) => metadata.annotations?.['kubernetes.io/config.hash'] ?? ''

/** The UIDs by which the kubelet knows them, by name. */
async function running(names: readonly string[]): Promise<Record<string, string>> {
  return eventually(`${names.join(', ')} run`, async () => {
    const found = (await podsOf()).filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
    const byName = Object.fromEntries(found.map((pod) => [pod.metadata.name, hashOf(pod)]))
    return names.every((name) => name in byName) ? byName : undefined
  })
}

const messageOf = async (name: string) =>
  (await connection.kube.get(nodeMaintenances, { name })).status?.drainStatus?.drainMessage

/** Static pods in three steps, after all others. */
const drainPlan = [
  { podPriority: 2_147_483_647, podType: 'Default' as const },
  { podPriority: 2_147_483_647, podType: 'DaemonSet' as const },
  ...Object.values(priorities).map((podPriority) => ({ podPriority, podType: 'Static' as const })),
]

async function maintain(name: string): Promise<void> {
  const matchFields = [{ key: 'metadata.name' as const, operator: 'In' as const, values: [realNode] }]
  await connection.kube.create(nodeMaintenances, {
    metadata: { name },
    spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [{ matchFields }] }, drainPlan, reason: 'OS upgrade' },
  })
}

async function complete(name: string): Promise<void> {
  const body = { spec: { stage: 'Complete' } }
  await connection.kube.patch(nodeMaintenances, { name }, { type: 'merge', body })
}

const agentPod = () =>
  eventually('the agent runs', async () => {
    const labelSelector = 'nodemaintenance.k8s.io/agent=true'
    const { items } = await connection.kube.list(pods, { namespace: release.namespace, labelSelector })
    // The played nodes have one too.
    const here = items.filter(
      ({ spec, metadata }) => spec?.nodeName === realNode && metadata.deletionTimestamp === undefined,
    )
    return here.find(isReady)
  })

/** kubectl with the token of the agent's account, bound to a pod or to nothing. */
async function asAgent(...bound: readonly string[]): Promise<Kubectl> {
  const { kubectl, kubectlPath, folder, server, certificateAuthority } = world.cluster
  const token = (await kubectl(['-n', release.namespace, 'create', 'token', 'lifeboat-agent', ...bound])).trim()
  const authority = Buffer.from(certificateAuthority).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'agent',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'agent', user: { token } }],
    contexts: [{ name: 'agent', context: { cluster: 'test', user: 'agent', namespace: release.namespace } }],
  }
  const kubeconfigPath = join(folder, `agent-${bound.length}.json`)
  await writeFile(kubeconfigPath, JSON.stringify(config))
  return createKubectl({ kubectlPath, kubeconfigPath, folder })
}

describe('the agent', () => {
  test('is root without a capability, and sees a root file system that it cannot write', async () => {
    const pod = (await agentPod()) as Pod & { status: { containerStatuses: { containerID: string }[] } }
    const pid = await world.node.pidOf(pod.status.containerStatuses[0]?.containerID ?? '')
    expect(await confinementOf(pid)).toEqual({
      user: '0',
      group: '0',
      capabilities: '0000000000000000',
      noNewPrivileges: '1',
      seccomp: '2',
      root: 'ro',
    })
  })

  test('may write the mailbox of its own node, and no other, nor what is wanted of it; nodes and pods it cannot read', async () => {
    const { kubectl } = world.cluster
    const pod = await agentPod()
    const own = mailboxNameOf(realNode)
    await eventually('the mailbox is there', async () =>
      (await kubectl(['-n', release.namespace, 'get', 'lease', own, '--ignore-not-found'])) === '' ? undefined : true,
    )
    const agent = await asAgent('--bound-object-kind=Pod', `--bound-object-name=${pod.metadata.name}`)
    const annotate = (lease: string, text: string) => agent(['annotate', 'lease', lease, text, '--overwrite'])
    await annotate(own, 'example.com/note=1')
    await expect(annotate('lifeboat', 'example.com/note=1')).rejects.toThrow('the mailbox of its own node')
    await expect(annotate(own, 'nodemaintenance.k8s.io/agent-wanted=x')).rejects.toThrow('may not write the annotation')
    await expect(agent(['delete', 'lease', 'lifeboat'])).rejects.toThrow('the mailbox of its own node')
    await expect(agent(['get', 'node', realNode])).rejects.toThrow('forbidden')
    await expect(agent(['get', 'pods'])).rejects.toThrow('forbidden')
    // Without the node in its token, as whoever stole it elsewhere would have it.
    const stolen = (await asAgent())(['annotate', 'lease', own, 'example.com/note=2', '--overwrite'])
    await expect(stolen).rejects.toThrow('the mailbox of its own node')
  })
})

test('static pods leave last by ascending priority, stay away over a restart of the kubelet, and come back as they were', async () => {
  const { kubectl } = world.cluster
  const before = await running(mirrors)
  const nodeName = realNode
  const containers = [{ name: 'main', image: pauseImage, imagePullPolicy: 'Never' }]
  const common = { hostNetwork: true, terminationGracePeriodSeconds: 1, containers }
  const labels = { app: 'logs' }
  const items = [
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace }, spec: { nodeName, ...common } },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'logs', namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { nodeSelector: { 'kubernetes.io/hostname': realNode }, ...common } },
      },
    },
  ]
  await kubectl(['create', '-f', '-'], { stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) })
  await eventually('all run', async () => ((await podsOf()).filter(isReady).length === 5 ? true : undefined))

  const left: string[] = []
  let there = (await podsOf()).map(({ metadata }) => metadata.name)
  await maintain('os-upgrade')
  await eventually('drained', async () => {
    const now = (await podsOf()).filter(({ spec }) => spec?.nodeName === realNode).map(({ metadata }) => metadata.name)
    left.push(...there.filter((name) => !now.includes(name)))
    there = now
    return (await messageOf('os-upgrade')) === 'Drained (the node agent stays)' ? true : undefined
  })
  expect(left.map((name) => name.replace(/^logs-.*/, 'logs'))).toEqual(['web', 'logs', ...mirrors])
  expect(there).toEqual([])

  await world.node.restartKubelet()
  // Longer than it takes a kubelet to look at its folder anew.
  await pause(25_000)
  expect((await podsOf()).filter(({ spec }) => spec?.nodeName === realNode)).toEqual([])

  // As kubeadm replaces a manifest during an upgrade.
  await writeManifest('c-second', { priorityClassName: 'middle', activeDeadlineSeconds: 86_400 })
  await eventually('the new one is parked too', async () => {
    const names = await readdir(world.node.manifests)
    const isAside = names.some((name) => name.startsWith('.lifeboat-superseded.'))
    return isAside && !names.includes('c-second.yaml') && (await podsOf()).every(isNotStatic) ? true : undefined
  })

  await complete('os-upgrade')
  const after = await running(mirrors)
  const [first = '', second = '', third = ''] = mirrors
  expect({ first: after[first], third: after[third] }).toEqual({ first: before[first], third: before[third] })
  expect(after[second]).not.toBe(before[second])
  const names = await readdir(world.node.manifests)
  expect(names.filter((name) => !name.startsWith('.')).toSorted()).toEqual([
    'a-third.yaml',
    'b-first.yaml',
    'c-second.yaml',
  ])
  expect(names.filter((name) => name.startsWith('.lifeboat-parked'))).toEqual([])
}, 300_000)

type RealContainerStatus = ContainerStatus & { readonly containerID?: string }

const isNotStatic = ({ metadata }: Pod) => metadata.annotations?.['kubernetes.io/config.mirror'] === undefined

test('with its DaemonSet deleted in the middle of a drain the agent puts everything back first', async () => {
  const { kubectl } = world.cluster
  await running(mirrors)
  await maintain('again')
  await eventually('parked', async () =>
    (await readdir(world.node.manifests)).some((name) => name.startsWith('.lifeboat-parked')) ? true : undefined,
  )
  await kubectl(['-n', release.namespace, 'delete', 'daemonset', 'lifeboat-agent', '--wait=false'])
  await eventually('nothing is parked', async () =>
    (await readdir(world.node.manifests)).some((name) => name.startsWith('.lifeboat-parked')) ? undefined : true,
  )
  await running(mirrors)
  const mailbox = ['-n', release.namespace, 'get', 'lease', mailboxNameOf(realNode), '--ignore-not-found']
  await eventually('its mailbox goes', async () => ((await kubectl(mailbox)) === '' ? true : undefined))
  await complete('again')
}, 300_000)

test('an agent for shutdowns runs from an image of its own, and says so where there is no logind', async () => {
  const { kubectl, folder } = world.cluster
  await writeImage(join(folder, 'agent.tar'), await agentImage(await lifeboatImage(world.program)))
  await world.node.importImage(join(folder, 'agent.tar'))
  // The bus of this very machine is none of a test's business: its folders are played, and empty.
  const chart = await renderAgent('agent.shutdown=true', 'agent.image.pullPolicy=Never')
  const played = chart.replaceAll(/path: \/run\/(dbus|systemd\/logind\.conf\.d)$/gm, `path: ${folder}/run/$1`)
  expect(played).not.toMatch(/^\s+path: \/run\//m)
  await kubectl(['apply', '-f', '-'], { stdin: played })
  const report = await eventually('the agent reports', async () => {
    const found = await unlessNotFound(
      connection.kube.get(leases, { namespace: release.namespace, name: mailboxNameOf(realNode) }),
    )
    return found === undefined ? undefined : reportOf(found)
  })
  expect(report.shutdown).toMatchObject({ mode: 'Unknown', problems: [{ kind: 'noLogind' }] })
  expect(report.staticPods?.folder).toBe(world.node.manifests)
  // The lock ends by itself, again and again.
  const agent = await eventually('only the lock is down', async () => {
    const { status } = await connection.kube.get(pods, { namespace: release.namespace, name: report.pod.name })
    const containers = (status?.containerStatuses ?? []) as readonly RealContainerStatus[]
    const isUp = Object.fromEntries(containers.map(({ name, ready }) => [name, ready]))
    return isUp['agent'] === true && isUp['lock'] === false
      ? containers.find(({ name }) => name === 'agent')
      : undefined
  })
  // Root on the bus it would be, and still without a capability of its own.
  const confinement = await confinementOf(await world.node.pidOf(agent.containerID ?? ''))
  expect(confinement).toMatchObject({ user: '0', capabilities: '0000000000000000', noNewPrivileges: '1', root: 'ro' })
}, 300_000)
