import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { New } from '../../api/kubernetes/meta.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { deschedulerLabels, installation, managedLabels } from './installation-names.ts'
import { cronJobs, jobs } from '../manifests/resources.ts'
import { stopDescheduler } from './stop-descheduler.ts'

const { namespace, descheduler: name } = installation
const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'lifeboat:1' }] }
const template = { metadata: { labels: deschedulerLabels }, spec: podSpec }

const stop = (ground: LifeboatGround) =>
  ground.until(stopDescheduler({ kube: ground.admin, clock: ground.clock }, namespace), 300_000)

async function phases(ground: LifeboatGround): Promise<(string | undefined)[]> {
  const { items } = await ground.until(ground.admin.list(pods, { namespace }))
  return items.map(({ status }) => status?.phase)
}

async function createDeployment(ground: LifeboatGround, labels: Readonly<Record<string, string>> = managedLabels) {
  const { restartPolicy: _never, ...always } = podSpec
  const spec = { replicas: 2, selector: { matchLabels: deschedulerLabels }, template: { ...template, spec: always } }
  await ground.until(ground.admin.create(deployments, { metadata: { name, namespace, labels }, spec }))
  await ground.pass(10_000)
}

async function createCronJob(ground: LifeboatGround, labels: Readonly<Record<string, string>> = managedLabels) {
  const spec = { schedule: '*/10 * * * *', jobTemplate: { spec: { template } } }
  await ground.until(ground.admin.create(cronJobs, { metadata: { name, namespace, labels }, spec }))
}

/** As the CronJob would. */
async function createJob(ground: LifeboatGround, more: object = {}) {
  const metadata = { name: `${name}-1`, namespace, labels: deschedulerLabels }
  const job = { metadata, spec: { template: { ...template, spec: { ...podSpec, ...more } } } }
  await ground.until(ground.admin.create(jobs, job))
}

test('a Deployment ends, and stays', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await createDeployment(ground)
  expect(await phases(ground)).toEqual(['Running', 'Running'])
  expect(await stop(ground)).toBe(true)
  expect(await phases(ground)).toEqual([])
  expect((await ground.until(ground.admin.get(deployments, { namespace, name }))).spec?.replicas).toBe(0)
})

test('a CronJob begins no more cycles, and the Job that cannot start is not waited for', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await createCronJob(ground)
  await createJob(ground, { nodeSelector: { nowhere: 'true' } })
  await ground.pass(5_000)
  expect(await phases(ground)).toEqual(['Pending'])
  expect(await stop(ground)).toBe(true)
  expect(await phases(ground)).toEqual([])
  expect((await ground.until(ground.admin.get(cronJobs, { namespace, name }))).spec?.suspend).toBe(true)
})

test('a pod that is over is not waited for', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await createCronJob(ground)
  const pod: New<Pod> = { metadata: { name: 'old', namespace, labels: deschedulerLabels }, spec: podSpec }
  await ground.until(ground.admin.create(pods, pod))
  const body = { status: { phase: 'Failed' } }
  const path = `/api/v1/namespaces/${namespace}/pods/old/status`
  const headers = { 'content-type': 'application/merge-patch+json' }
  await ground.until(ground.adminTransport.request({ method: 'PATCH', path, body, headers }))
  expect(await stop(ground)).toBe(true)
  expect(await phases(ground)).toEqual(['Failed'])
})

test('what others have under that name is left alone', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await createDeployment(ground, {})
  await createCronJob(ground, {})
  expect(await stop(ground)).toBe(false)
  expect(await phases(ground)).toEqual(['Running', 'Running'])
})

test('where there is none, there is nothing to stop', async () => {
  await using ground = await openLifeboatGround()
  expect(await stop(ground)).toBe(false)
})
