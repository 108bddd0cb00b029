import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKubectl, KubectlError } from '../cluster/kubectl.ts'
import {
  behaviourAnnotations,
  buildBudget,
  buildDeployment,
  buildNode,
  buildPod,
  type KubernetesObject,
  type PodBehaviour,
} from '../build/nodes-and-pods.ts'
import { ownCluster } from './own-cluster.ts'

// The test cluster itself: that nodes and pods do what the tests built on it take for granted.

interface PodView {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly status: {
    readonly phase: string
    readonly podIP?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[]
    readonly containerStatuses?: readonly {
      readonly ready: boolean
      readonly restartCount: number
      readonly state: Readonly<Record<string, { readonly reason?: string } | undefined>>
    }[]
  }
}

const kubectl = createKubectl(ownCluster())
const nodeNames = ['cluster-test-1', 'cluster-test-2']
const create = (...objects: KubernetesObject[]) =>
  kubectl(['create', '-f', '-'], { stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) })

beforeAll(() => create(...nodeNames.map((name) => buildNode({ name, zone: 'europe-1a' }))))
afterAll(() => kubectl(['delete', 'node', ...nodeNames]))

let namespaces = 0
async function createNamespace(): Promise<string> {
  const name = `cluster-test-${++namespaces}`
  await kubectl(['create', 'namespace', name])
  await expect.poll(() => kubectl(['-n', name, 'get', 'serviceaccounts', '-o', 'name'])).toContain('default')
  return name
}

/** A pod that behaves as told, and how to look at it. */
async function createPod(behaviour: PodBehaviour & { terminationGracePeriodSeconds?: number }) {
  const namespace = await createNamespace()
  const createdMs = performance.now()
  await create(buildPod({ name: 'pod', namespace, nodeName: 'cluster-test-1', ...behaviour }))
  const read = async () => JSON.parse(await kubectl(['-n', namespace, 'get', 'pod', 'pod', '-o', 'json'])) as PodView
  return {
    namespace,
    read,
    ageMs: () => performance.now() - createdMs,
    mend: (key: keyof PodBehaviour) =>
      kubectl(['-n', namespace, 'annotate', 'pod', 'pod', `${behaviourAnnotations[key]}-`]),
    reaches: async (state: Partial<ReturnType<typeof summaryOf>>) => {
      await expect.poll(async () => summaryOf(await read()), { timeout: 20_000, interval: 200 }).toMatchObject(state)
    },
  }
}

function summaryOf({ status }: PodView) {
  const condition = (type: string) => status.conditions?.find((one) => one.type === type)?.status
  const [container] = status.containerStatuses ?? []
  return {
    phase: status.phase,
    ready: condition('Ready'),
    containersReady: condition('ContainersReady'),
    initialized: condition('Initialized'),
    scheduled: condition('PodScheduled'),
    containerReady: container?.ready,
    restarts: container?.restartCount,
    state: Object.keys(container?.state ?? {}).join(),
    waiting: container?.state['waiting']?.reason,
  }
}

const healthy = {
  phase: 'Running',
  ready: 'True',
  containersReady: 'True',
  initialized: 'True',
  scheduled: 'True',
  containerReady: true,
  state: 'running',
}

test('nodes become Ready and keep their lease', async () => {
  await kubectl(['wait', '--for=condition=Ready', '--timeout=20s', 'node', ...nodeNames])
  const capacity = await kubectl(['get', 'node', nodeNames[0] ?? '', '-o', 'jsonpath={.status.allocatable}'])
  expect(JSON.parse(capacity)).toMatchObject({ cpu: '32', memory: '256Gi', pods: '110' })
  await expect.poll(() => kubectl(['-n', 'kube-node-lease', 'get', 'leases', '-o', 'name'])).toContain(nodeNames[0])
})

describe('a pod', () => {
  test('is Ready at once unless told otherwise', async () => {
    const pod = await createPod({})
    await pod.reaches(healthy)
    expect((await pod.read()).status.podIP).toMatch(/^10\./)
  })

  test('with ready-after runs first and is Ready then', async () => {
    const pod = await createPod({ readyAfter: '3s' })
    await pod.reaches({ phase: 'Running', ready: 'False', state: 'running', containerReady: false })
    // A change in the meantime must not make the wait start anew.
    await kubectl(['-n', pod.namespace, 'label', 'pod', 'pod', 'touched=true'])
    await pod.reaches(healthy)
    expect(pod.ageMs()).toBeGreaterThan(3_000)
    expect(pod.ageMs()).toBeLessThan(8_000)
  })

  test('with never-ready becomes Ready once mended, and unready again', async () => {
    const pod = await createPod({ neverReady: true })
    await pod.reaches({ phase: 'Running', ready: 'False', containersReady: 'False', state: 'running' })
    await pod.mend('neverReady')
    await pod.reaches(healthy)
    await kubectl(['-n', pod.namespace, 'annotate', 'pod', 'pod', `${behaviourAnnotations.neverReady}=true`])
    await pod.reaches({ phase: 'Running', ready: 'False', containerReady: false, state: 'running' })
  })

  test('whose image cannot be pulled stays Pending until mended', async () => {
    const pod = await createPod({ imagePullFails: true })
    await pod.reaches({ phase: 'Pending', ready: 'False', waiting: 'ImagePullBackOff' })
    await pod.mend('imagePullFails')
    await pod.reaches(healthy)
  })

  test('that crashes waits to be restarted and recovers once mended', async () => {
    const pod = await createPod({ crashes: true })
    await pod.reaches({ phase: 'Running', ready: 'False', waiting: 'CrashLoopBackOff', restarts: 1 })
    await pod.mend('crashes')
    await pod.reaches({ ...healthy, restarts: 1 })
  })

  test('that fails ends as Failed', async () => {
    const pod = await createPod({ fails: true })
    await pod.reaches({ phase: 'Failed', ready: 'False', state: 'terminated' })
  })

  test.each([
    { name: 'takes its time to end', behaviour: { terminateAfter: '3s' }, leastMs: 3_000, mostMs: 8_000 },
    {
      name: 'is gone at the end of its grace period at the latest',
      behaviour: { terminateAfter: '1m', terminationGracePeriodSeconds: 2 },
      leastMs: 1_000,
      mostMs: 8_000,
    },
    { name: 'is gone at once otherwise', behaviour: {}, leastMs: 0, mostMs: 3_000 },
  ])('that is deleted $name', async ({ behaviour, leastMs, mostMs }) => {
    const pod = await createPod(behaviour)
    await pod.reaches(healthy)
    const startMs = performance.now()
    await kubectl(['-n', pod.namespace, 'delete', 'pod', 'pod', '--wait=false'])
    if (leastMs > 0) expect((await pod.read()).metadata.deletionTimestamp).toBeDefined()
    await kubectl(['-n', pod.namespace, 'wait', '--for=delete', 'pod/pod', '--timeout=30s'])
    expect(performance.now() - startMs).toBeGreaterThan(leastMs)
    expect(performance.now() - startMs).toBeLessThan(mostMs)
  })
})

test('a Job completes', async () => {
  const namespace = await createNamespace()
  await kubectl(['-n', namespace, 'create', 'job', 'job', '--image=test/image'])
  await kubectl(['-n', namespace, 'wait', '--for=condition=Complete', 'job/job', '--timeout=30s'])
})

test('a Deployment behind a Service gets ready endpoints', async () => {
  const namespace = await createNamespace()
  await create(buildDeployment({ name: 'shop', namespace, replicas: 3 }))
  await kubectl(['-n', namespace, 'expose', 'deployment', 'shop', '--port=80'])
  await kubectl(['-n', namespace, 'rollout', 'status', 'deployment/shop', '--timeout=30s'])
  const ready = () =>
    kubectl(['-n', namespace, 'get', 'endpointslices', '-o', 'jsonpath={.items[*].endpoints[*].conditions.ready}'])
  await expect.poll(ready, { timeout: 10_000 }).toBe('true true true')
})

test('an eviction against a budget is refused with 429', async () => {
  const namespace = await createNamespace()
  await create(
    buildDeployment({ name: 'shop', namespace, replicas: 1 }),
    buildBudget({ name: 'shop', namespace, selector: { app: 'shop' }, minAvailable: 1 }),
  )
  await kubectl(['-n', namespace, 'rollout', 'status', 'deployment/shop', '--timeout=30s'])
  const allowed = () => kubectl(['-n', namespace, 'get', 'pdb', 'shop', '-o', 'jsonpath={.status.currentHealthy}'])
  await expect.poll(allowed, { timeout: 10_000 }).toBe('1')
  const pod = (await kubectl(['-n', namespace, 'get', 'pods', '-o', 'jsonpath={.items[0].metadata.name}'])).trim()
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } }
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`
  const refused = await kubectl(['create', '--raw', path, '-f', '-'], { stdin: JSON.stringify(eviction) }).catch(
    (error: unknown) => error,
  )
  expect(refused).toBeInstanceOf(KubectlError)
  // What kubectl makes of a 429.
  expect(String(refused)).toContain('(TooManyRequests)')
  expect(String(refused)).toContain("violate the pod's disruption budget")
})
