import type { Scenario, World } from './scenario.ts'
import {
  arrangeNodes,
  isReady,
  merge,
  paths,
  podsOf,
  reaches,
  readyPods,
  strategic,
  workload,
} from './workload-world.ts'

// The controllers that a drain meets, by what a client sees of them.

const web = (kind: string) => `${kind}/web`

async function arrangeDeployment(
  world: World,
  spec: object,
  extra: Parameters<typeof workload>[2] = {},
): Promise<void> {
  await arrangeNodes(world, 2)
  await world.arrange('POST', paths.deployments, workload(world, spec, extra))
}

async function evict(world: World, name: string): Promise<number> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'NS' } }
  return (await world.attempt('POST', `${paths.pods}/${name}/eviction`, body)).status
}

const release: readonly Scenario[] = [
  {
    name: 'release: a pod without its hash is replaced, serves on, and may then be evicted',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 1 })
      const [old] = await readyPods(world, 1)
      await world.arrange('POST', paths.budgets, {
        metadata: { name: 'web', namespace: 'NS' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      })
      await reaches(world, web(paths.budgets), { currentHealthy: 1, disruptionsAllowed: 0 })
      await world.arrange(
        'PATCH',
        `${paths.pods}/${old?.metadata.name}`,
        { metadata: { labels: { 'pod-template-hash': null } } },
        merge,
      )
      const both = await readyPods(world, 2)
      const released = both.find(({ metadata }) => metadata.uid === old?.metadata.uid)
      world.observe('owners of the released pod', released?.metadata.ownerReferences ?? [])
      await reaches(world, web(paths.budgets), { currentHealthy: 2, disruptionsAllowed: 1 })
      world.observe('evicted', await evict(world, old?.metadata.name ?? ''))
      const left = await readyPods(world, 1)
      world.observe('the old one is gone', left[0]?.metadata.uid !== old?.metadata.uid)
      await reaches(world, web(paths.deployments), { replicas: 1, readyReplicas: 1, availableReplicas: 1 })
    },
  },
  {
    name: 'adoption: with its hash back the pod is adopted, and the younger one goes',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 1 })
      const [old] = await readyPods(world, 1)
      const hash = old?.metadata.labels?.['pod-template-hash']
      const label = (value: string | null | undefined) =>
        world.arrange(
          'PATCH',
          `${paths.pods}/${old?.metadata.name}`,
          { metadata: { labels: { 'pod-template-hash': value } } },
          merge,
        )
      await label(null)
      await readyPods(world, 2)
      await label(hash)
      const left = await world.eventually(
        'one pod is left',
        () => podsOf(world),
        (pods) => pods.length === 1 && pods.every(isReady),
      )
      world.observe(
        'owned again',
        left[0]?.metadata.ownerReferences?.map(({ kind, controller }) => ({ kind, controller })),
      )
    },
  },
  {
    name: 'deletion by hand: a pod is replaced',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 2 })
      const [first] = await readyPods(world, 2)
      await world.arrange('DELETE', `${paths.pods}/${first?.metadata.name}`)
      const now = await world.eventually(
        'two others',
        () => podsOf(world),
        (pods) =>
          pods.length === 2 &&
          pods.every(isReady) &&
          !pods.some(({ metadata }) => metadata.uid === first?.metadata.uid),
      )
      world.observe('pods', now.length)
    },
  },
]

/** Follows a change to its end, and notes how few were ready and how many there were on the way. */
async function follow(world: World, isOver: (pods: readonly Awaited<ReturnType<typeof podsOf>>[number][]) => boolean) {
  let fewestReady = Number.POSITIVE_INFINITY
  let most = 0
  await world.eventually(
    'the rollout is over',
    () => podsOf(world),
    (pods) => {
      fewestReady = Math.min(fewestReady, pods.filter(isReady).length)
      most = Math.max(most, pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length)
      return isOver(pods)
    },
  )
  return { fewestReady, most }
}

const allOf = (image: string, count: number) => (pods: readonly Awaited<ReturnType<typeof podsOf>>[number][]) =>
  pods.length === count && pods.every((pod) => isReady(pod) && pod.spec.containers[0]?.image === image)

const setImage = (world: World, image: string) =>
  world.arrange(
    'PATCH',
    web(paths.deployments),
    { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
    strategic,
  )

const rollouts: readonly Scenario[] = [
  ...[
    { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, least: 3, most: 4 },
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }, least: 2, most: 3 },
    { strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: '25%' } }, least: 3, most: 5 },
  ].map(({ strategy, least, most }) => ({
    name: `rollout: surge ${strategy.rollingUpdate.maxSurge}, unavailable ${strategy.rollingUpdate.maxUnavailable}`,
    run: async (world: World) => {
      await arrangeDeployment(world, { replicas: 3, strategy }, { annotations: { 'lifeboat.test/ready-after': '1s' } })
      await readyPods(world, 3)
      await setImage(world, 'web:2')
      const seen = await follow(world, allOf('web:2', 3))
      world.observe('within the limits', { least: seen.fewestReady >= least, most: seen.most <= most })
      await reaches(world, web(paths.deployments), {
        replicas: 3,
        updatedReplicas: 3,
        availableReplicas: 3,
        observedGeneration: 2,
        unavailableReplicas: 0,
      })
      const { body } = await world.read(paths.replicaSets)
      const sets = (
        body['items'] as { metadata: { annotations: Record<string, string> }; spec: { replicas: number } }[]
      ).map(({ metadata, spec }) => ({
        revision: metadata.annotations['deployment.kubernetes.io/revision'],
        replicas: spec.replicas,
      }))
      world.observe(
        'ReplicaSets',
        sets.toSorted((one, other) => Number(one.revision) - Number(other.revision)),
      )
    },
  })),
  {
    name: 'rollout: Recreate takes all down first',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 2, strategy: { type: 'Recreate' } })
      await readyPods(world, 2)
      await setImage(world, 'web:2')
      const { most } = await follow(world, allOf('web:2', 2))
      world.observe('never more than wanted', most <= 2)
    },
  },
  {
    name: 'rollout: paused, nothing moves; back to the old image, the old ReplicaSet serves again',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 2 })
      const before = await readyPods(world, 2)
      await world.arrange('PATCH', web(paths.deployments), { spec: { paused: true } }, merge)
      await setImage(world, 'web:2')
      await reaches(world, web(paths.deployments), { observedGeneration: 3, updatedReplicas: 0, replicas: 2 })
      await setImage(world, 'web:1')
      await world.arrange('PATCH', web(paths.deployments), { spec: { paused: null } }, merge)
      await reaches(world, web(paths.deployments), { observedGeneration: 5, updatedReplicas: 2 })
      const after = await podsOf(world)
      world.observe(
        'the same pods',
        after.every(({ metadata }) => before.some((pod) => pod.metadata.uid === metadata.uid)),
      )
      world.observe('ReplicaSets', ((await world.read(paths.replicaSets)).body['items'] as unknown[]).length)
    },
  },
  {
    name: 'scale: up, down and to zero',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 1 })
      await readyPods(world, 1)
      for (const replicas of [4, 2, 0]) {
        await world.arrange('PATCH', `${web(paths.deployments)}/scale`, { spec: { replicas } }, merge)
        await readyPods(world, replicas)
        await reaches(world, web(paths.deployments), { replicas, readyReplicas: replicas })
      }
    },
  },
  {
    name: 'scale down: the pod that costs least to delete goes first',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 3 })
      const pods = await readyPods(world, 3)
      const cheap = pods[1]
      await world.arrange(
        'PATCH',
        `${paths.pods}/${cheap?.metadata.name}`,
        { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } } },
        merge,
      )
      await world.arrange('PATCH', `${web(paths.deployments)}/scale`, { spec: { replicas: 2 } }, merge)
      const left = await readyPods(world, 2)
      world.observe('the cheap one is gone', !left.some(({ metadata }) => metadata.uid === cheap?.metadata.uid))
    },
  },
]

const daemonSets: readonly Scenario[] = [
  {
    name: 'DaemonSet: one pod a node, also on a cordoned one, not on a tainted one',
    run: async (world) => {
      const nodes = await arrangeNodes(world, 3, (at) =>
        at === 2 ? { taints: [{ key: 'example.com/keep-out', effect: 'NoSchedule' }] } : {},
      )
      await world.arrange('PATCH', `/api/v1/nodes/${nodes[1]}`, { spec: { unschedulable: true } }, merge)
      await world.arrange('POST', paths.daemonSets, workload(world))
      const pods = await readyPods(world, 2)
      world.observe(
        'nodes',
        pods.map(({ spec }) => spec.nodeName).toSorted((one = '', other = '') => one.localeCompare(other)),
      )
      await reaches(world, web(paths.daemonSets), {
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        numberReady: 2,
        numberMisscheduled: 0,
      })
      await world.arrange(
        'PATCH',
        web(paths.daemonSets),
        { spec: { template: { spec: { tolerations: [{ operator: 'Exists' }] } } } },
        merge,
      )
      await reaches(world, web(paths.daemonSets), {
        desiredNumberScheduled: 3,
        numberReady: 3,
        updatedNumberScheduled: 3,
      })
    },
  },
  {
    name: 'DaemonSet: a gated pod is waited for, not replaced, and lands on its node when the gate opens',
    run: async (world) => {
      const [node] = await arrangeNodes(world, 1)
      await world.arrange(
        'POST',
        paths.daemonSets,
        workload(world, {}, { spec: { schedulingGates: [{ name: 'example.com/hold' }] } }),
      )
      const [gated] = await world.eventually(
        'a gated pod',
        () => podsOf(world),
        (pods) => pods.length === 1,
      )
      const condition = gated?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
      world.observe('why it waits', { status: condition?.status, reason: condition?.reason })
      await reaches(world, web(paths.daemonSets), { desiredNumberScheduled: 1, numberReady: 0 })
      await world.arrange('PATCH', `${paths.pods}/${gated?.metadata.name}`, { spec: { schedulingGates: null } }, merge)
      const [pod] = await readyPods(world, 1)
      world.observe('the same pod, on its node', {
        same: pod?.metadata.uid === gated?.metadata.uid,
        node: pod?.spec.nodeName === node,
      })
    },
  },
  {
    name: 'DaemonSet: a deleted pod comes back',
    run: async (world) => {
      await arrangeNodes(world, 1)
      await world.arrange('POST', paths.daemonSets, workload(world))
      const [first] = await readyPods(world, 1)
      await world.arrange('DELETE', `${paths.pods}/${first?.metadata.name}`)
      await world.eventually(
        'another one',
        () => podsOf(world),
        (pods) => pods.length === 1 && pods.every(isReady) && pods[0]?.metadata.uid !== first?.metadata.uid,
      )
      await reaches(world, web(paths.daemonSets), { numberReady: 1 })
    },
  },
]

const others: readonly Scenario[] = [
  {
    name: 'StatefulSet: names in order, the same name again, the highest goes first',
    run: async (world) => {
      await arrangeNodes(world, 1)
      await world.arrange('POST', paths.statefulSets, workload(world, { replicas: 3, serviceName: 'web' }))
      const pods = await readyPods(world, 3)
      world.observe(
        'names',
        pods.map(({ metadata }) => metadata.name).toSorted((one, other) => one.localeCompare(other)),
      )
      await world.arrange('DELETE', `${paths.pods}/web-1`)
      await world.eventually(
        'web-1 again',
        () => podsOf(world),
        (now) =>
          now.length === 3 &&
          now.every(isReady) &&
          !now.some(({ metadata }) => metadata.uid === pods.find((pod) => pod.metadata.name === 'web-1')?.metadata.uid),
      )
      await world.arrange('PATCH', `${web(paths.statefulSets)}/scale`, { spec: { replicas: 1 } }, merge)
      const left = await readyPods(world, 1)
      world.observe(
        'left',
        left.map(({ metadata }) => metadata.name),
      )
    },
  },
  {
    name: 'Job: runs its pods to the end',
    run: async (world) => {
      await arrangeNodes(world, 1)
      const spec = {
        completions: 2,
        parallelism: 2,
        template: {
          spec: {
            restartPolicy: 'Never',
            nodeSelector: { scenario: world.namespace },
            containers: [{ name: 'main', image: 'job:1' }],
          },
        },
      }
      await world.arrange('POST', paths.jobs, { metadata: { name: 'web', namespace: 'NS' }, spec })
      await reaches(world, web(paths.jobs), { succeeded: 2 })
      const pods = await podsOf(world)
      world.observe(
        'phases',
        pods.map(({ status }) => status?.phase),
      )
    },
  },
  ...['Background', 'Foreground'].map((propagationPolicy) => ({
    name: `deleting a Deployment, ${propagationPolicy}: everything goes`,
    run: async (world: World) => {
      await arrangeDeployment(world, { replicas: 2 })
      await readyPods(world, 2)
      await world.arrange('DELETE', web(paths.deployments), { propagationPolicy })
      await world.eventually(
        'all is gone',
        async () => [
          (await world.read(web(paths.deployments))).status,
          ((await world.read(paths.replicaSets)).body['items'] as unknown[]).length,
          (await podsOf(world)).length,
        ],
        (seen) => seen.join() === '404,0,0',
      )
      world.observe('all is gone', true)
    },
  })),
  {
    name: 'deleting a Deployment, Orphan: the ReplicaSet stays, without an owner',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 1 })
      await readyPods(world, 1)
      await world.arrange('DELETE', web(paths.deployments), { propagationPolicy: 'Orphan' })
      await world.eventually(
        'it is gone',
        async () => (await world.read(web(paths.deployments))).status,
        (status) => status === 404,
      )
      const sets = (await world.read(paths.replicaSets)).body['items'] as {
        metadata: { ownerReferences?: unknown[] }
      }[]
      world.observe(
        'ReplicaSets',
        sets.map(({ metadata }) => metadata.ownerReferences ?? []),
      )
      world.observe('pods', (await podsOf(world)).length)
    },
  },
  {
    name: 'readiness: a pod that is slow, and one that is never ready until mended',
    run: async (world) => {
      await arrangeDeployment(
        world,
        { replicas: 1, minReadySeconds: 1 },
        { annotations: { 'lifeboat.test/ready-after': '1s' } },
      )
      await readyPods(world, 1)
      await reaches(world, web(paths.deployments), { readyReplicas: 1, availableReplicas: 1 })
      const pod = {
        metadata: { name: 'stuck', namespace: 'NS', annotations: { 'lifeboat.test/never-ready': 'true' } },
        spec: { nodeSelector: { scenario: world.namespace }, containers: [{ name: 'main', image: 'web:1' }] },
      }
      await world.arrange('POST', paths.pods, pod)
      const stuck = await world.eventually(
        'it runs',
        () => podsOf(world),
        (pods) => pods.some(({ metadata, status }) => metadata.name === 'stuck' && status?.phase === 'Running'),
      )
      world.observe('ready', stuck.filter(isReady).length)
      await world.arrange(
        'PATCH',
        `${paths.pods}/stuck`,
        { metadata: { annotations: { 'lifeboat.test/never-ready': null } } },
        merge,
      )
      await readyPods(world, 2)
    },
  },
  {
    name: 'eviction with controllers: the budget follows, one at a time',
    run: async (world) => {
      await arrangeDeployment(world, { replicas: 3 }, { annotations: { 'lifeboat.test/ready-after': '1s' } })
      const pods = await readyPods(world, 3)
      await world.arrange('POST', paths.budgets, {
        metadata: { name: 'web', namespace: 'NS' },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
      })
      await reaches(world, web(paths.budgets), { disruptionsAllowed: 1 })
      const answers: number[] = []
      for (const { metadata } of pods.slice(0, 2)) {
        const { status } = await world.read(`${paths.pods}/${metadata.name}`)
        if (status === 200) answers.push(await evict(world, metadata.name))
      }
      world.observe('answers', answers)
      await readyPods(world, 3)
      await reaches(world, web(paths.budgets), { disruptionsAllowed: 1, currentHealthy: 3 })
    },
  },
]

export const workloadScenarios: readonly Scenario[] = [...release, ...rollouts, ...daemonSets, ...others]
