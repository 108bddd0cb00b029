import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { nameOf } from '../ownership.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startJobController } from './job.ts'

async function openJob(spec: object = {}, annotations: Record<string, string> = {}) {
  const ground = new ControllerGround([startJobController, startScheduler, startKubelet])
  await ground.create('nodes', nodeNamed('one'))
  await ground.create('jobs.batch', {
    metadata: { name: 'import', namespace: 'default' },
    spec: { template: templateOf({}, { spec: { restartPolicy: 'Never' }, annotations }), ...spec },
  })
  await ground.settle()
  return ground
}

const statusOf = (ground: ControllerGround) => ground.get('jobs.batch', 'import')?.status

describe('a Job', () => {
  test('runs to its end and keeps the pods that did the work', async () => {
    await using ground = await openJob({ completions: 3, parallelism: 2 })
    expect(statusOf(ground)).toMatchObject({ active: 2 })
    await ground.pass(10)
    expect(statusOf(ground)).toMatchObject({
      active: 0,
      succeeded: 3,
      failed: 0,
      conditions: [
        { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' },
        { type: 'Complete', status: 'True', message: 'Reached expected number of succeeded pods' },
      ],
    })
    expect(ground.list('pods').map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded'])
    expect(ground.list('pods').map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], [], []])
  })

  test('gives up after as many failures as it may have, each further apart', async () => {
    await using ground = await openJob({ backoffLimit: 2 }, { 'lifeboat.test/fails': 'true' })
    await ground.pass(8)
    expect(statusOf(ground)).toMatchObject({ failed: 1 })
    expect(statusOf(ground)?.conditions).toBeUndefined()
    await ground.pass(60)
    expect(statusOf(ground)).toMatchObject({ failed: 3, active: 0 })
    expect(statusOf(ground)?.conditions).toMatchObject([
      { type: 'FailureTarget', status: 'True' },
      { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' },
    ])
    expect(ground.list('pods')).toHaveLength(3)
  })

  test('replaces a pod that was evicted, and counts it as failed', async () => {
    await using ground = await openJob({}, { 'lifeboat.test/complete-after': '1m' })
    const { metadata } = ground.first('pods')
    await ground.parts.api.delete('pods', nameOf(metadata))
    await ground.pass(2)
    expect(ground.get('pods', metadata.name)).toBeUndefined()
    expect(statusOf(ground)).toMatchObject({ failed: 1, active: 1 })
    await ground.pass(70)
    expect(statusOf(ground)).toMatchObject({ failed: 1, succeeded: 1, active: 0 })
  })

  test('lets its pods go when it is deleted', async () => {
    await using ground = await openJob({}, { 'lifeboat.test/complete-after': '1m' })
    await ground.parts.api.delete('jobs.batch', { namespace: 'default', name: 'import' })
    await ground.parts.api.delete('pods', nameOf(ground.first('pods').metadata))
    await ground.pass(5)
    expect(ground.list('pods')).toEqual([])
  })
})
