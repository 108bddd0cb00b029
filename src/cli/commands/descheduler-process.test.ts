import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { buildDeployment } from '../../../test/build/nodes-and-pods.ts'
import { openServedCluster } from '../../../test/build/served-cluster.ts'
import { deployments, events, pods } from '../../api/kubernetes/resources.ts'
import { silentLog } from '../../runtime/log.ts'
import { openConnection } from '../connect/connection.ts'
import { DeschedulerProcess } from './descheduler-process.ts'

const policy = policyOf({
  profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime', { states: ['Running'] })] })],
  limits: { total: 1, perNode: undefined, perNamespace: undefined },
})
const { signal } = new AbortController()

test.each([
  { dryRun: false, told: ['PodLifeTime'] },
  { dryRun: true, told: [] },
])('requests are counted, and told as Events unless it is a dry run: $dryRun', async ({ dryRun, told }) => {
  await using served = await openServedCluster({ nodes: 2 })
  const { admin, kubeconfig } = served
  await admin.create(deployments, buildDeployment({ name: 'web', namespace: 'default', replicas: 2 }))
  const running = async () => {
    const { items } = await admin.list(pods, { namespace: 'default' })
    return items.filter(({ status }) => status?.phase === 'Running').length
  }
  await expect.poll(running, { timeout: 10_000 }).toBe(2)
  await using connection = await openConnection({ kubeconfig })
  const registry = new Registry()
  const options = {
    policyConfigFile: '',
    deschedulingInterval: 0,
    mode: 'evict' as const,
    dryRun,
    maxEvacuationRequestTtl: 0,
    namespace: 'default',
    listen: undefined,
    logLevel: 'error' as const,
  }
  const parts = { connection, options, log: silentLog, election: undefined, registry, identity: 'test' }
  {
    await using process = new DeschedulerProcess(parts)
    const opened = await process.open(policy, signal)
    const { strategies } = await opened.cycle(signal)
    expect(strategies[0]?.left).toHaveLength(1)
    await opened.close()
  }
  const { items } = await admin.list(events, { namespace: 'default' })
  const ofPods = items.filter(({ source }) => source?.component === 'lifeboat-descheduler')
  expect(ofPods.map(({ reason }) => reason)).toEqual(told)
  expect(await registry.metrics()).toMatch(
    /^descheduler_pods_evicted_total\{result="success",strategy="PodLifeTime",profile="p",.*\} 1$/m,
  )
})
