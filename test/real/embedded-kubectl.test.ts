import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../../src/embedded/cluster.ts'
import { renderKubeconfig } from '../../src/embedded/kubectl/http/kubeconfig.ts'
import { serveCluster } from '../../src/embedded/kubectl/http/serve-cluster.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { createKubectl, KubectlError, type Kubectl } from '../cluster/kubectl.ts'
import { ownCluster } from './own-cluster.ts'

// The real kubectl against the embedded cluster, a verb at a time: what a person types must do what it does elsewhere.

const root = join(import.meta.dirname, '../..')
const { kubectlPath } = ownCluster()
const open = new AsyncDisposableStack()
let kubectl: Kubectl
let folder: string
let access: { server: string; certificateAuthority: string }

const container = { name: 'main', image: 'registry.example/app:1' }
const template = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [container] } })
const workload = (kind: string, app: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: app, namespace: 'default' },
  spec: { selector: { matchLabels: { app } }, template: template(app), ...spec },
})
const create = (object: object) => kubectl(['create', '-f', '-'], { stdin: JSON.stringify(object) })
const apply = (object: object, ...flags: string[]) =>
  kubectl(['apply', '-f', '-', ...flags], { stdin: JSON.stringify(object) })
const field = (what: readonly string[], path: string) => kubectl(['get', ...what, '-o', `jsonpath=${path}`])
const refusal = async (running: Promise<string>) => {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof KubectlError) return error.stderr
  throw new Error('kubectl should have failed')
}
/** kubectl lines up its columns by the widest cell. */
const rows = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-embedded-'))
  open.defer(() => rm(folder, { recursive: true, force: true }))
  const cluster = open.use(
    await openEmbeddedCluster({
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      nodes: 3,
      admission: builtInAdmission,
    }),
  )
  const served = open.use(
    await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'embedded' }),
  )
  access = { server: served.url, certificateAuthority: served.certificateAuthority }
  const kubeconfigPath = join(folder, 'kubeconfig')
  await writeFile(kubeconfigPath, served.kubeconfig)
  kubectl = createKubectl({ kubectlPath, kubeconfigPath, folder })
  await kubectl(['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=20s'])
})

afterAll(() => open.disposeAsync())

test('version', async () => {
  const printed = await kubectl(['version', '-o', 'json'])
  expect(JSON.parse(printed)).toMatchObject({ serverVersion: { major: '1', minor: '37' } })
})

test('api-resources', async () => {
  const printed = await kubectl(['api-resources', '-o', 'wide'])
  for (const line of ['pods +po +v1 +true +Pod +create,', 'deployments +deploy +apps/v1 +true +Deployment'])
    expect(printed).toMatch(new RegExp(line))
})

test('get shows tables, plain and wide', async () => {
  expect(rows(await kubectl(['get', 'nodes']))[0]).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'])
  const [headers, first] = rows(await kubectl(['get', 'nodes', '-o', 'wide']))
  expect(headers).toContain('CONTAINER-RUNTIME')
  expect(first?.slice(0, 2)).toEqual(['node-1', 'Ready'])
  const namespaces = await kubectl(['get', 'namespaces', '--no-headers'])
  expect(rows(namespaces).map(([name]) => name)).toContain('kube-system')
})

test('get writes YAML and JSON, and follows a path', async () => {
  expect(await kubectl(['get', 'node', 'node-1', '-o', 'yaml'])).toMatch(/^apiVersion: v1\nkind: Node\n/)
  expect(JSON.parse(await kubectl(['get', 'nodes', '-o', 'json']))).toMatchObject({ kind: 'List' })
  expect(await field(['node', 'node-2'], '{.metadata.labels.kubernetes\\.io/hostname}')).toBe('node-2')
  expect(await refusal(kubectl(['get', 'pod', 'nobody']))).toContain(
    'Error from server (NotFound): pods "nobody" not found',
  )
})

test('get -w goes on with what happens', async () => {
  const watching = spawn(kubectlPath, ['get', 'configmaps', '-w'], {
    env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), KUBECACHEDIR: join(folder, 'watch-cache') },
  })
  const lines: string[] = []
  const seen = Promise.withResolvers<void>()
  createInterface({ input: watching.stdout }).on('line', (line) => {
    lines.push(line)
    if (line.startsWith('watched')) seen.resolve()
  })
  try {
    while (lines.length === 0) await Promise.race([once(watching.stdout, 'data'), seen.promise])
    await kubectl(['create', 'configmap', 'watched', '--from-literal=a=b'])
    await seen.promise
  } finally {
    watching.kill()
  }
  expect(lines[0]).toMatch(/^NAME +DATA +AGE$/)
  expect(lines.at(-1)).toMatch(/^watched +1 +\d+s$/)
})

test('create sends every kind in its own encoding, and refuses what is there', async () => {
  await kubectl(['create', 'namespace', 'shop'])
  await kubectl(['create', 'deployment', 'api', '--image=app:1', '--replicas=2', '-n', 'shop'])
  await kubectl(['create', 'serviceaccount', 'bot', '-n', 'shop'])
  await kubectl(['create', 'role', 'reader', '--verb=get', '--resource=pods', '-n', 'shop'])
  await kubectl(['create', 'poddisruptionbudget', 'api', '--selector=app=api', '--min-available=50%', '-n', 'shop'])
  expect(
    await field(['deployment', 'api', '-n', 'shop'], '{.spec.replicas} {.spec.template.spec.containers[0].image}'),
  ).toBe('2 app:1')
  expect(await field(['pdb', 'api', '-n', 'shop'], '{.spec.minAvailable}')).toBe('50%')
  expect(await refusal(kubectl(['create', 'namespace', 'shop']))).toContain(
    '(AlreadyExists): namespaces "shop" already exists',
  )
})

test.each([
  { name: 'applied', flags: [] },
  { name: 'applied-unchecked', flags: ['--validate=false'] },
])('apply by the client makes it so, and then changes nothing: $name', async ({ name, flags }) => {
  const object = workload('Deployment', name, { replicas: 1 })
  expect(await apply(object, ...flags)).toBe(`deployment.apps/${name} created\n`)
  expect(await apply(object, ...flags)).toBe(`deployment.apps/${name} unchanged\n`)
  const changed = workload('Deployment', name, {
    replicas: 1,
    template: { ...template(name), spec: { containers: [{ ...container, image: 'registry.example/app:2' }] } },
  })
  expect(await apply(changed, ...flags)).toBe(`deployment.apps/${name} configured\n`)
  expect(await field(['deployment', name], '{.spec.template.spec.containers[*].image}')).toBe('registry.example/app:2')
})

test('apply by the server is refused with a reason', async () => {
  expect(await refusal(apply(workload('Deployment', 'refused'), '--server-side'))).toContain(
    'apply without --server-side',
  )
})

test.each([
  { type: 'strategic', patch: '{"metadata":{"labels":{"strategic":"yes"}}}' },
  { type: 'merge', patch: '{"metadata":{"labels":{"merge":"yes"}}}' },
  { type: 'json', patch: '[{"op":"add","path":"/metadata/labels/json","value":"yes"}]' },
])('patch --type=$type', async ({ type, patch }) => {
  await kubectl(['patch', 'node', 'node-3', `--type=${type}`, '-p', patch])
  expect(await field(['node', 'node-3'], `{.metadata.labels.${type}}`)).toBe('yes')
})

test('label and annotate', async () => {
  expect(await kubectl(['label', 'node', 'node-3', 'rack=a'])).toBe('node/node-3 labeled\n')
  expect(await refusal(kubectl(['label', 'node', 'node-3', 'rack=b']))).toContain("'rack' already has a value (a)")
  expect(await kubectl(['annotate', 'node', 'node-3', 'note=x'])).toBe('node/node-3 annotated\n')
  expect(await kubectl(['label', 'node', 'node-3', 'rack-'])).toBe('node/node-3 unlabeled\n')
})

test('taint, cordon and uncordon', async () => {
  await kubectl(['taint', 'node', 'node-3', 'spare=true:NoSchedule'])
  expect(await field(['node', 'node-3'], '{.spec.taints[?(@.key=="spare")].effect}')).toBe('NoSchedule')
  await kubectl(['taint', 'node', 'node-3', 'spare-'])
  await kubectl(['cordon', 'node-3'])
  expect(rows(await kubectl(['get', 'node', 'node-3']))[1]?.[1]).toBe('Ready,SchedulingDisabled')
  await kubectl(['uncordon', 'node-3'])
  expect(rows(await kubectl(['get', 'node', 'node-3']))[1]?.[1]).toBe('Ready')
})

test('scale, rollout status and wait', async () => {
  await create(workload('Deployment', 'web', { replicas: 2 }))
  expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s'])).toContain('successfully rolled out')
  expect(await kubectl(['scale', 'deployment/web', '--replicas=3'])).toBe('deployment.apps/web scaled\n')
  await kubectl(['wait', '--for=jsonpath={.status.readyReplicas}=3', 'deployment/web', '--timeout=30s'])
  await kubectl(['rollout', 'restart', 'deployment/web'])
  expect(await kubectl(['rollout', 'status', 'deployment/web', '--timeout=60s'])).toContain('successfully rolled out')
  expect(rows(await kubectl(['get', 'deployment', 'web']))[1]?.slice(0, 4)).toEqual(['web', '3/3', '3', '3'])
})

test('describe tells of a pod, a node and a deployment', async () => {
  const pod = await field(['pods', '-l', 'app=web'], '{.items[0].metadata.name}')
  expect(await kubectl(['describe', 'pod', pod])).toMatch(/Controlled By: +ReplicaSet\/web-[^]*State: +Running/)
  expect(await kubectl(['describe', 'node', 'node-1'])).toMatch(/Conditions:[^]*KubeletReady[^]*Non-terminated Pods:/)
  expect(await kubectl(['describe', 'deployment', 'web'])).toMatch(/Replicas: +3 desired[^]*ScalingReplicaSet/)
})

test('events, all and about one object', async () => {
  expect(rows(await kubectl(['events', '--for', 'deployment/web']))[0]).toEqual([
    'LAST SEEN',
    'TYPE',
    'REASON',
    'OBJECT',
    'MESSAGE',
  ])
  expect(await kubectl(['get', 'events'])).toContain('deployment/web')
})

test('drain moves what can move and leaves the DaemonSet', async () => {
  await create(workload('DaemonSet', 'agent'))
  await kubectl(['rollout', 'status', 'daemonset/agent', '--timeout=30s'])
  expect(await refusal(kubectl(['drain', 'node-1']))).toContain('cannot delete DaemonSet-managed Pods')
  expect(await kubectl(['drain', 'node-1', '--ignore-daemonsets', '--timeout=90s'])).toContain('node/node-1 drained')
  const left = await field(['pods', '-A', '--field-selector=spec.nodeName=node-1'], '{.items[*].metadata.labels.app}')
  expect(left).toBe('agent')
  await kubectl(['uncordon', 'node-1'])
})

test('drain waits for a budget, and names it', async () => {
  await create(workload('Deployment', 'guarded', { replicas: 1 }))
  await kubectl(['rollout', 'status', 'deployment/guarded', '--timeout=30s'])
  await kubectl(['create', 'poddisruptionbudget', 'guarded', '--selector=app=guarded', '--min-available=1'])
  const node = await field(['pods', '-l', 'app=guarded'], '{.items[0].spec.nodeName}')
  const words = await refusal(kubectl(['drain', node, '--ignore-daemonsets', '--timeout=8s']))
  expect(words).toContain("Cannot evict pod as it would violate the pod's disruption budget.")
  await kubectl(['uncordon', node])
})

test('delete waits until it is gone, and takes what it owns', async () => {
  expect(await kubectl(['delete', 'deployment', 'guarded', '--timeout=60s'])).toContain('"guarded" deleted')
  await kubectl(['wait', '--for=delete', 'pods', '-l', 'app=guarded', '--timeout=60s'])
  expect(await kubectl(['get', 'replicasets,pods', '-l', 'app=guarded', '-o', 'name'])).toBe('')
  await kubectl(['delete', 'namespace', 'shop', '--timeout=60s'])
  expect(await kubectl(['get', 'namespace', 'shop', '--ignore-not-found'])).toBe('')
})

test('auth can-i and whoami, for oneself and for others', async () => {
  expect(await kubectl(['auth', 'can-i', 'delete', 'nodes'])).toBe('yes\n')
  await expect(kubectl(['auth', 'can-i', 'delete', 'pods', '--as', 'joe'])).rejects.toMatchObject({ exitCode: 1 })
  expect(await kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe('admin')
  await kubectl(['create', 'clusterrolebinding', 'joe', '--clusterrole=view', '--user=joe'])
  expect(await kubectl(['auth', 'can-i', 'list', 'pods', '--as', 'joe'])).toBe('yes\n')
  expect(await kubectl(['auth', 'can-i', '--list', '--as', 'joe'])).toContain('pods')
  expect(await refusal(kubectl(['delete', 'node', 'node-1', '--as', 'joe']))).toContain(
    'User "joe" cannot delete resource "nodes"',
  )
})

test('a token of a service account opens what its account may see', async () => {
  await kubectl(['create', 'serviceaccount', 'reader'])
  await kubectl(['create', 'rolebinding', 'reader', '--clusterrole=view', '--serviceaccount=default:reader'])
  const token = (await kubectl(['create', 'token', 'reader'])).trim()
  const kubeconfigPath = join(folder, 'reader-kubeconfig')
  const credentials = { kind: 'token', token } as const
  await writeFile(kubeconfigPath, renderKubeconfig({ ...access, name: 'embedded', user: 'reader', credentials }))
  const asReader = createKubectl({ kubectlPath, kubeconfigPath, folder })
  const user = await asReader(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])
  expect(user).toBe('system:serviceaccount:default:reader')
  expect(await asReader(['get', 'deployment', 'web', '-o', 'name'])).toBe('deployment.apps/web\n')
  expect(await refusal(asReader(['get', 'secrets']))).toContain('cannot list resource "secrets"')
  await kubectl(['delete', 'serviceaccount', 'reader'])
  expect(await refusal(asReader(['get', 'pods']))).toMatch(/Unauthorized|must be logged in/)
})

test('explain knows our two kinds, once their definitions are applied', async () => {
  await kubectl(['apply', '-f', join(root, 'deploy/crds')])
  await kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=20s'])
  expect(await kubectl(['explain', 'evacuation.spec'])).toMatch(/KIND: +Evacuation[^]*podRef\t<Object> -required-/)
  expect(await kubectl(['explain', 'nodemaintenance.spec.stage'])).toMatch(/FIELD: stage <string>/)
  expect(await kubectl(['explain', 'nodemaintenance'])).toContain('A NodeMaintenance announces')
  expect(rows(await kubectl(['get', 'crd']))[0]).toEqual(['NAME', 'CREATED AT'])
})

test('lifeboat cluster is up with 20 nodes, tells how to reach it, and leaves nothing behind', async () => {
  const path = join(folder, 'cluster-kubeconfig')
  const running = spawn(join(root, 'bin/lifeboat'), ['cluster', '--nodes', '20', '--kubeconfig', path])
  try {
    for await (const line of createInterface({ input: running.stdout })) {
      if (line === `export KUBECONFIG=${path}`) break
    }
    const other = createKubectl({ kubectlPath, kubeconfigPath: path, folder: join(folder, 'other') })
    const nodes = rows(await other(['get', 'nodes', '--no-headers']))
    expect(nodes.filter(([, status]) => status === 'Ready')).toHaveLength(20)
  } finally {
    running.kill('SIGINT')
  }
  const [code] = (await once(running, 'exit')) as [number | null]
  expect(code).toBe(0)
  await expect(rm(path)).rejects.toMatchObject({ code: 'ENOENT' })
})
