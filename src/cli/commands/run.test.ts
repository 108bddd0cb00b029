import { request } from 'undici'
import { expect, test } from 'vitest'
import { commandWorld, openServedCluster, type ServedCluster } from '../../../test/build/served-cluster.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { run, type RunOptions } from './run.ts'

const options: RunOptions = {
  featureGates: featureGateDefaults,
  controllerEvictTimeout: 60_000,
  shutdownPodPriorities: [],
  webhookPort: 0,
  listen: { host: '127.0.0.1', port: 0 },
  logLevel: 'error',
}

const webhooksIn = ({ cluster }: ServedCluster) =>
  cluster.store.count('validatingwebhookconfigurations.admissionregistration.k8s.io') +
  cluster.store.count('mutatingwebhookconfigurations.admissionregistration.k8s.io')

test('it installs, says ready when it is reached, and leaves no webhook behind', async () => {
  await using served = await openServedCluster()
  const world = commandWorld()
  const running = run(world, { ...options, kubeconfig: served.kubeconfig })
  const line = await Promise.race([world.ready, running])
  expect(line).toMatch(
    /^ready on Kubernetes v1\.\d+.* at https:\/\/127.*, metrics and health at http:\/\/127\.0\.0\.1:\d+$/,
  )
  expect(webhooksIn(served)).toBe(5)
  const base = /http:\S+$/.exec(line ?? '')?.[0] ?? ''
  const ask = async (path: string) => (await request(`${base}${path}`)).body.text()
  expect(await ask('/readyz')).toBe('ok\n')
  const metrics = await ask('/metrics')
  for (const name of [
    'kube_client_requests_total',
    'workqueue_depth',
    'process_cpu_seconds_total',
    'events_dropped_total',
    'evacuation_controller_active_evacuator',
    'admission_reviews_total',
  ]) {
    expect(metrics).toContain(name)
  }
  world.interrupt()
  await running
  expect(webhooksIn(served)).toBe(0)
  expect(served.cluster.store.count('customresourcedefinitions.apiextensions.k8s.io')).toBe(2)
})

test('interrupted before it is ready it ends in good order', async () => {
  await using served = await openServedCluster()
  const world = commandWorld()
  world.interrupt()
  await expect(run(world, { ...options, kubeconfig: served.kubeconfig })).rejects.toThrow('interrupted')
  expect(webhooksIn(served)).toBe(0)
})

test('an address that is taken stops the start with one line', async () => {
  await using served = await openServedCluster()
  const port = Number(new URL(served.url).port)
  const running = run(commandWorld(), {
    ...options,
    kubeconfig: served.kubeconfig,
    listen: { host: '127.0.0.1', port },
  })
  await expect(running).rejects.toThrow(`cannot listen at 127.0.0.1:${port}: listen EADDRINUSE`)
  expect(webhooksIn(served)).toBe(0)
})
