import { expect, test } from 'vitest'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { openAdmission } from '../../admission/admission.ts'
import { webhookPaths } from '../../admission/serving/webhook-configurations.ts'
import { featureGateDefaults as gates } from '../../api/feature-gates.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { claimsLookup } from './claims-lookup.ts'

/** Admission as the manager opens it, without the controllers, which have questions of their own. */
function interception(ground: LifeboatGround) {
  const { adminTransport, clock } = ground
  const asked: string[] = []
  const transport: Transport = {
    request: (sent) => {
      asked.push(`${sent.method} ${/namespaces\/default\/([a-z]+)/.exec(sent.path)?.[1]}`)
      return adminTransport.request(sent)
    },
    watch: (sent) => adminTransport.watch(sent),
    close: () => adminTransport.close(),
  }
  const parts = { kube: buildKube(transport, clock), clock, gates, log: silentLog }
  const claims = claimsLookup({ ...parts, namespace: 'lifeboat-system', events: { record: () => {} } })
  const options = { ...parts, claims, listNodes: async () => [], controllerEvictTimeoutMs: 60_000 }
  const review = openAdmission(options).get(webhookPaths.interceptEvictions)
  return async (name: string) => {
    const request = { uid: 'review', operation: 'CREATE', name, namespace: 'default', object: {} }
    const sent = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }
    const answer = await ground.until(review?.(sent, new AbortController().signal) ?? Promise.reject(new Error('off')))
    return { isAllowed: answer.response['allowed'], asked: asked.splice(0).toSorted() }
  }
}

async function arrangePods(ground: LifeboatGround, replicas: number): Promise<string[]> {
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  const spec = { replicas, selector: { matchLabels: labels }, template, strategy }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body: { metadata: { name: 'web' }, spec } }))
  await ground.pass(5_000)
  return (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items.map(
    ({ metadata: { name } }) => name,
  )
}

test('an eviction that is asked for again costs two reads, and the next pod of a workload reads no owner again', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const [one = '', other = ''] = await arrangePods(ground, 2)
  const evict = interception(ground)
  const owners = ['GET deployments', 'GET horizontalpodautoscalers', 'GET replicasets']
  const needed = ['GET evacuations', 'GET pods']
  const writes = ['PATCH pods', 'POST evacuations']
  expect(await evict(one)).toEqual({ isAllowed: false, asked: [...owners, ...needed, ...writes].toSorted() })
  expect(await evict(other)).toEqual({ isAllowed: false, asked: [...needed, ...writes] })
  for (let retries = 0; retries < 3; retries++) {
    expect(await evict(one)).toEqual({ isAllowed: false, asked: needed })
  }
})
