import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { startReplicaSetController } from '../replica-set/replica-set.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startDeploymentController } from './deployment.ts'

const controllers = [startDeploymentController, startReplicaSetController, startScheduler, startKubelet]
const selector = { matchLabels: { app: 'web' } }

async function openWeb(spec: object = {}, annotations?: object) {
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

const imagePatch = (image: string, annotations: object = {}) => ({
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
})
