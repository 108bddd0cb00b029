import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { resolveIntOrPercent } from '../int-or-percent.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { isActive, isReady, isTerminating } from '../pod-status.ts'
import { startReplicaSetController } from '../replica-set/replica-set.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startDeploymentController } from './deployment.ts'

const controllers = [startDeploymentController, startReplicaSetController, startScheduler, startKubelet]
const selector = { matchLabels: { app: 'web' } }

async function openWeb(spec: object = {}, annotations?: Record<string, string>) {
  const ground = new ControllerGround(controllers)
  for (const name of ['one', 'two', 'three']) await ground.create('nodes', nodeNamed(name))
  const template = templateOf({ app: 'web' }, annotations === undefined ? {} : { annotations })
  await ground.create('deployments.apps', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 4, selector, template, ...spec },
  })
  await ground.settle()
  return ground
}

const imagePatch = (image: string, annotations: Record<string, string> = {}) => ({
  spec: { template: { metadata: { annotations }, spec: { containers: [{ name: 'main', image }] } } },
})

describe('a Deployment', () => {
  test('makes a ReplicaSet, which makes pods, which run', async () => {
    await using ground = await openWeb()
    const [set] = ground.list('replicasets.apps')
    expect(set?.metadata.name).toMatch(/^web-[a-z0-9]+$/)
    expect(ground.list('pods').map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running', 'Running'])
    expect(ground.get('deployments.apps', 'web')?.status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      unavailableReplicas: 0,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        {
          type: 'Progressing',
          status: 'True',
          reason: 'NewReplicaSetAvailable',
          message: `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
        },
      ],
    })
  })

  test('rolls a new template out and the old one back, each under its own revision', async () => {
    await using ground = await openWeb()
    const first = ground.list('replicasets.apps')[0]?.metadata.name
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:2'))
    await ground.pass(5)
    const revisions = () =>
      Object.fromEntries(
        ground
          .list('replicasets.apps')
          .map(({ metadata, spec }) => [
            metadata.name === first ? 'first' : 'second',
            `${metadata.annotations?.['deployment.kubernetes.io/revision']}: ${spec?.replicas}`,
          ]),
      )
    expect(revisions()).toEqual({ first: '1: 0', second: '2: 4' })
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:1'))
    await ground.pass(5)
    expect(revisions()).toEqual({ first: '3: 4', second: '2: 0' })
    expect(ground.get('deployments.apps', 'web')?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
    })
  })

  test('stops at a version that does not start, says so after its deadline, and keeps the old one up', async () => {
    await using ground = await openWeb({ progressDeadlineSeconds: 60 })
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:2', { 'lifeboat.test/image-pull': 'fails' }))
    await ground.pass(50)
    expect(ground.list('pods').filter(isReady)).toHaveLength(3)
    const progress = () =>
      ground.get('deployments.apps', 'web')?.status?.conditions?.find(({ type }) => type === 'Progressing')
    expect(progress()).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' })
    await ground.pass(20)
    expect(progress()).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' })
    expect(progress()?.message).toMatch(/^ReplicaSet "web-[a-z0-9]+" has timed out progressing\.$/)
    expect(ground.list('pods').filter(isReady)).toHaveLength(3)
  })

  test('rolls nothing out while it is paused, but scales', async () => {
    await using ground = await openWeb()
    await ground.patch('deployments.apps', 'web', { spec: { paused: true } })
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:2'))
    await ground.patch('deployments.apps', 'web', { spec: { replicas: 5 } })
    await ground.pass(5)
    expect(ground.list('replicasets.apps').map(({ spec }) => spec?.replicas)).toEqual([5])
    const reasons = () => ground.get('deployments.apps', 'web')?.status?.conditions?.map(({ reason }) => reason)
    expect(reasons()).toContain('DeploymentPaused')
    await ground.patch('deployments.apps', 'web', { spec: { paused: false } })
    await ground.pass(5)
    expect(new Set(ground.list('replicasets.apps').map(({ spec }) => spec?.replicas))).toEqual(new Set([0, 5]))
    expect(reasons()).toContain('NewReplicaSetAvailable')
  })

  test('waits for the last old pod before the first new one, if it recreates', async () => {
    await using ground = await openWeb({ strategy: { type: 'Recreate' } }, { 'lifeboat.test/terminate-after': '10s' })
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:2'))
    await ground.pass(5)
    expect(ground.list('pods').map(isTerminating)).toEqual([true, true, true, true])
    await ground.pass(10)
    expect(ground.list('pods').map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(
      Array.from({ length: 4 }, () => 'example/web:2'),
    )
    expect(ground.list('pods').every(isReady)).toBe(true)
  })

  test('keeps as many old ReplicaSets as it is told to', async () => {
    await using ground = await openWeb({ revisionHistoryLimit: 2 })
    for (const version of [2, 3, 4, 5]) {
      await ground.patch('deployments.apps', 'web', imagePatch(`example/web:${version}`))
      await ground.pass(5)
    }
    const revisions = ground
      .list('replicasets.apps')
      .map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])
    expect(new Set(revisions)).toEqual(new Set(['3', '4', '5']))
  })

  test('adopts a ReplicaSet of its labels that has no owner', async () => {
    await using ground = await openWeb()
    const set = ground.first('replicasets.apps')
    await ground.patch('replicasets.apps', set.metadata.name, { metadata: { ownerReferences: null } })
    await ground.settle()
    expect(ground.list('replicasets.apps').map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(['web'])
  })
})

const posts = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((share) => `${share}%`),
)

test('a rolling update is never below maxUnavailable nor above maxSurge, whatever they are, and ends', async () => {
  const cases = fc.record({
    replicas: fc.integer({ min: 1, max: 9 }),
    maxSurge: posts,
    maxUnavailable: posts,
    readySeconds: fc.integer({ min: 0, max: 4 }),
  })
  interface RolloutCase {
    readonly replicas: number
    readonly maxSurge: number | string
    readonly maxUnavailable: number | string
    readonly readySeconds: number
  }
  const check = async ({ replicas, maxSurge, maxUnavailable, readySeconds }: RolloutCase) => {
    const surge = resolveIntOrPercent(maxSurge, replicas, 'up')
    const unavailable = resolveIntOrPercent(maxUnavailable, replicas, 'down')
    const missingMax = surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas)
    const annotations = { 'lifeboat.test/ready-after': `${readySeconds}s` }
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
    await using ground = await openWeb({ replicas, strategy }, annotations)
    await ground.pass(10)
    await ground.patch('deployments.apps', 'web', imagePatch('example/web:2', annotations))
    let worst = { ready: replicas, active: replicas }
    using _watch = ground.store.subscribe(() => {
      const pods = ground.list('pods')
      worst = {
        ready: Math.min(worst.ready, pods.filter((pod) => isReady(pod) && isActive(pod)).length),
        active: Math.max(worst.active, pods.filter(isActive).length),
      }
    }, 'pods')
    await ground.pass(100)
    expect(worst.ready).toBeGreaterThanOrEqual(replicas - missingMax)
    expect(worst.active).toBeLessThanOrEqual(replicas + surge)
    expect(ground.list('pods').map(({ spec }) => spec?.containers?.[0]?.image)).toEqual(
      Array.from({ length: replicas }, () => 'example/web:2'),
    )
  }
  await fc.assert(fc.asyncProperty(cases, check), { numRuns: 25 })
}, 60_000)
