import { once } from 'node:events'
import { request } from 'node:https'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { silentLog } from '../../../runtime/log.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { systemClock } from '../../../runtime/system.ts'
import { noAdmission } from '../../server/admission/admission.ts'
import { openEmbeddedCluster } from '../../cluster.ts'
import { createAuthority } from '../../../runtime/certificates.ts'
import { serveCluster } from './serve-cluster.ts'

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8')

async function get(url: string, options: object): Promise<{ status: number | undefined; body: unknown }> {
  const sent = request(url, { agent: false, ...options }).end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
  return { status: response.statusCode, body: await json(response) }
}

test('the kubeconfig opens everything, a strange certificate nothing', async () => {
  const options = {
    clock: systemClock,
    random: seededRandom(1),
    log: silentLog,
    nodes: 0,
    admission: () => noAdmission,
  }
  await using cluster = await openEmbeddedCluster(options)
  await using served = await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'boat' })
  const { clusters, users } = parse(served.kubeconfig) as Kubeconfig
  const { cluster: where } = clusters[0]
  const { user } = users[0]
  const ca = decoded(where['certificate-authority-data'])
  const admin = { ca, cert: decoded(user['client-certificate-data']), key: decoded(user['client-key-data']) }
  expect(where.server).toBe(served.url)
  expect(await get(`${served.url}/api/v1/nodes`, admin)).toMatchObject({ status: 200, body: { kind: 'NodeList' } })
  expect(await get(`${served.url}/api/v1/nodes`, { ca })).toMatchObject({ status: 403 })
  const stranger = createAuthority('stranger', systemClock.nowMs()).issue({
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  })
  const strange = { ca, cert: stranger.certificate, key: stranger.key }
  expect(await get(`${served.url}/api/v1/nodes`, strange)).toMatchObject({ status: 401 })
})
